// kolam.squeeze: the same elements without coordinates that are always 0.
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::SqueezeOp op, Evaluation& e) {
  e.set(op.getResult(), e.get(op.getOperand()).reshaped(e.sizes(op.getType())));
}

} // namespace kolam::interp
