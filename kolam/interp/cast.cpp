// kolam.cast: result[i] = operand[i] converted.
#include "kolam/interp/convert.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::CastOp op, Evaluation& e) {
  e.set(op.getResult(), convert(e.get(op.getOperand()), ir::dtype_of(op.getResult())));
}

} // namespace kolam::interp
