// kolam.broadcast: result[i] = operand[j], j[d] = i[dims[d]], or 0 where the operand's extent is 1.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::BroadcastOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  Array result = e.make(op.getResult());
  Index source(operand.rank());
  for_each_index(e, result.shape(), [&](const Index& index) {
    for (auto [d, dim] : llvm::enumerate(op.getDims()))
      source[d] = operand.shape()[d] == 1 ? 0 : index[dim];
    copy_cell(operand, source, result, index);
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
