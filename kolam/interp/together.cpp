// kolam.together: the same elements, value by value.
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::TogetherOp op, Evaluation& e) {
  for (auto [operand, result] : llvm::zip(op.getOperands(), op.getResults()))
    e.set(result, e.get(operand));
}

} // namespace kolam::interp
