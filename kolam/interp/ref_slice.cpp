// kolam.ref_slice: result[i] = ref[starts + steps * i].
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/kernels.h"

namespace kolam::interp {

void evaluate_op(ir::RefSliceOp op, Evaluation& e) {
  std::vector<int64_t> starts;
  for (mlir::Value start : op.getStarts())
    starts.push_back(integer_of(e.get(start)));
  mlir::Type type = ir::value_type(op.getResult());
  e.set_datum(op.getResult(),
              e.get_ref(op.getRef()).sliced(starts, op.getSteps().vec(), e.sizes(type)));
}

} // namespace kolam::interp
