// kolam.gather: result[k, n, o] = operand[k, start + o].
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/interp/window.h"

#include <limits>

namespace kolam::interp {
namespace {

/// What mode `fill` gives: NaN, the lowest integer, the highest unsigned, true.
Array fill_value(DType dtype) {
  return visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Float16>)
      return Array::scalar<T>({0x7e00});
    else if constexpr (std::is_same_v<T, BFloat16>)
      return Array::scalar<T>({0x7fc0});
    else if constexpr (std::is_floating_point_v<T>)
      return Array::scalar<T>(std::numeric_limits<T>::quiet_NaN());
    else if constexpr (std::is_signed_v<T>)
      return Array::scalar<T>(std::numeric_limits<T>::lowest());
    else
      return Array::scalar<T>(std::numeric_limits<T>::max());
  });
}

} // namespace

void evaluate_op(ir::GatherOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  const Array& indices = e.get(op.getIndices());
  Array result = e.make(op.getResult());
  Array fill = fill_value(operand.dtype());
  size_t batched = op.getBatchedDims(), batch_rank = indices.rank() - 1;
  std::vector<int64_t> window(result.shape().begin() + batch_rank, result.shape().end());
  std::vector<int64_t> extents(operand.shape().begin() + batched, operand.shape().end());
  for_each_index(e, result.shape(), [&](const Index& index) {
    Index batch(index.begin(), index.begin() + batch_rank);
    Places start = window_start(indices, batch, op.getDims(), window.size());
    if (op.getMode() == "fill" && !is_inside(start, window, extents))
      return copy_cell(fill, {}, result, index);
    if (op.getMode() != "wrap")
      start = clip_start(start, window, extents);
    Index source(batch.begin(), batch.begin() + batched);
    for (size_t dim = 0; dim < window.size(); ++dim) {
      Place place = (start[dim] + index[batch_rank + dim]) % extents[dim];
      source.push_back(static_cast<int64_t>(place < 0 ? place + extents[dim] : place));
    }
    copy_cell(operand, source, result, index);
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
