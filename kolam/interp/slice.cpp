// kolam.slice: result[i] = operand[starts + steps i].
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::SliceOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  Array result = e.make(op.getResult());
  std::vector<int64_t> starts = e.sizes(op.getStarts().shape());
  Index source(operand.rank());
  for_each_index(e, result.shape(), [&](const Index& index) {
    for (size_t d = 0; d < source.size(); ++d)
      source[d] = starts[d] + op.getSteps()[d] * index[d];
    copy_cell(operand, source, result, index);
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
