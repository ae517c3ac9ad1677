// kolam.dynamic_update_slice: result = operand, but result[s + i] = update[i], s clipped.
#include "kolam/interp/clipped_starts.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::DynamicUpdateSliceOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  const Array& update = e.get(op.getUpdate());
  Array result = e.make(op.getResult());
  Index starts = clipped_starts(op.getStarts(), operand.shape(), update.shape(), e);
  for_each_index(e, result.shape(),
                 [&](const Index& index) { copy_cell(operand, index, result, index); });
  for_each_index(e, update.shape(), [&](const Index& index) {
    Index target = index;
    for (size_t d = 0; d < target.size(); ++d)
      target[d] += starts[d];
    copy_cell(update, index, result, target);
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
