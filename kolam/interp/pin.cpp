// kolam.pin: the same elements.
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::PinOp op, Evaluation& e) { e.set(op.getResult(), e.get(op.getOperand())); }

} // namespace kolam::interp
