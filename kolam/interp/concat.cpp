// kolam.concat: every operand is written into the result, at the sum of the extents before it.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ConcatOp op, Evaluation& e) {
  Array result = e.make(op.getResult());
  int64_t dim = op.getDim(), before = 0;
  for (mlir::Value value : op.getOperands()) {
    const Array& operand = e.get(value);
    for_each_index(e, operand.shape(), [&](const Index& index) {
      Index target = index;
      target[dim] += before;
      copy_cell(operand, index, result, target);
    });
    before += operand.shape()[dim];
  }
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
