// kolam.compress: the elements where a mask is true, one behind the other.
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::CompressOp op, Evaluation& e) {
  const Array &mask = e.get(op.getMask()), &operand = e.get(op.getOperand());
  Array result = e.make(op.getResult());
  const int64_t room = result.shape()[0];
  int64_t kept = 0;
  for (int64_t i = 0; i < mask.shape()[0] && kept < room; ++i)
    if (*cell(mask, {i}) != std::byte{0})
      copy_cell(operand, {i}, result, {kept++});
  const Array zero = Array::zeros(operand.dtype(), {});
  for (; kept < room; ++kept)
    copy_cell(zero, {}, result, {kept});
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
