// kolam.composite: results = body(operands).
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::CompositeOp op, Evaluation& e) {
  set_all(op.getResults(), e.run_data(op.getBody(), e.get_data(op.getOperands())), e);
}

} // namespace kolam::interp
