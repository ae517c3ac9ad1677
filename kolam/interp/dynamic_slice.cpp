// kolam.dynamic_slice: result[i] = operand[s + i], s[d] = clip(starts[d], 0, extent(d) - size(d)).
#include "kolam/interp/clipped_starts.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::DynamicSliceOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  Array result = e.make(op.getResult());
  Index starts = clipped_starts(op.getStarts(), operand.shape(), result.shape(), e);
  for_each_index(e, result.shape(), [&](const Index& index) {
    Index source = index;
    for (size_t d = 0; d < source.size(); ++d)
      source[d] += starts[d];
    copy_cell(operand, source, result, index);
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
