// kolam.view: result[i] = operand[starts + coefficients i].
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ViewOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  Array result = e.make(op.getResult());
  const std::vector<int64_t> starts = e.sizes(op.getStarts().shape());
  for_each_index(e, result.shape(), [&](const Index& index) {
    Index source(starts.begin(), starts.end());
    const auto* coefficient = op.getCoefficients().begin();
    for (int64_t& place : source)
      for (int64_t i : index)
        place += *coefficient++ * i;
    copy_cell(operand, source, result, index);
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
