// kolam.reshape: result[i] = operand[unravel(ravel(i))]; the row-major elements stay as they are.
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ReshapeOp op, Evaluation& e) {
  e.set(op.getResult(), e.get(op.getOperand()).reshaped(e.sizes(op.getType())));
}

} // namespace kolam::interp
