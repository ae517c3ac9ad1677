// kolam.transpose: result[i] = operand[j], j[permutation[d]] = i[d].
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::TransposeOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  Array result = e.make(op.getResult());
  Index source(operand.rank());
  for_each_index(e, result.shape(), [&](const Index& index) {
    for (auto [d, dim] : llvm::enumerate(op.getPermutation()))
      source[dim] = index[d];
    copy_cell(operand, source, result, index);
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
