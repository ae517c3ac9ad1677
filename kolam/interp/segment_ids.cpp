// kolam.segment_ids: the segment of each element.
#include "kolam/interp/ops.h"

#include <algorithm>

namespace kolam::interp {

void evaluate_op(ir::SegmentIdsOp op, Evaluation& e) {
  const Array& offsets = e.get(op.getOffsets());
  Array result = e.make(op.getResult());
  const auto* first = static_cast<const int64_t*>(offsets.data());
  const auto* last = first + offsets.shape()[0];
  auto* ids = static_cast<int64_t*>(result.mutable_data());
  for (int64_t i = 0; i < result.shape()[0]; ++i)
    ids[i] = std::upper_bound(first, last, i) - first - 1;
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
