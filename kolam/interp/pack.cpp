// kolam.pack and kolam.unpack's opposite: a list from its leaves and offsets.
#include "kolam/interp/list_values.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/location.h"

namespace kolam::interp {

void evaluate_op(ir::PackOp op, Evaluation& e) {
  std::vector<Array> offsets;
  for (mlir::Value level : op.getOffsets())
    offsets.push_back(e.get(level));
  CallScope scope("pack", ir::to_source_location(op.getLoc()));
  e.set_datum(op.getResult(), List::from_offsets(e.get(op.getLeaves()), offsets));
}

} // namespace kolam::interp
