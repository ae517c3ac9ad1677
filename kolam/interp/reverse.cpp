// kolam.reverse: result[i] = operand[j], j[d] = extent(d) - 1 - i[d] for the reversed dims.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ReverseOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  Array result = e.make(op.getResult());
  for_each_index(e, result.shape(), [&](const Index& index) {
    Index source = index;
    for (int64_t dim : op.getDims())
      source[dim] = operand.shape()[dim] - 1 - index[dim];
    copy_cell(operand, source, result, index);
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
