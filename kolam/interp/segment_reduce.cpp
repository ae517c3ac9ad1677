// kolam.segment_reduce: combines the elements of each segment with a monoid.
#include "kolam/interp/ops.h"
#include "kolam/interp/reduction.h"

#include <algorithm>

namespace kolam::interp {

void evaluate_op(ir::SegmentReduceOp op, Evaluation& e) {
  const Array& offsets = e.get(op.getOffsets());
  const auto* begin = static_cast<const int64_t*>(offsets.data());
  std::vector<Array> inputs, results;
  for (mlir::Value input : op.getInputs())
    inputs.push_back(e.get(input));
  for (mlir::Value result : op.getResults())
    results.push_back(e.make(result));
  std::vector<int64_t> kept(inputs[0].shape().begin() + 1, inputs[0].shape().end()), space(kept);
  ir::Reduction reduction = ir::reduction_of(op);
  reduction.dims = {static_cast<int64_t>(kept.size())};
  const int64_t count = inputs[0].shape()[0];
  for (int64_t segment = 0; segment + 1 < offsets.shape()[0]; ++segment) {
    // Whatever the offsets say, nothing else than elements is read.
    const int64_t first = std::clamp<int64_t>(begin[segment], 0, count);
    const int64_t length = std::clamp<int64_t>(begin[segment + 1] - first, 0, count - first);
    std::vector<Array> rows;
    for (const Array& result : results)
      rows.push_back(Array::uninitialized(result.dtype(), kept));
    auto element = [&](const Index& index) {
      Index place{first + index.back()};
      place.insert(place.end(), index.begin(), index.end() - 1);
      Cells cells;
      for (const Array& input : inputs)
        std::memcpy(cells.emplace_back().bytes, cell(input, place), byte_width(input.dtype()));
      return cells;
    };
    space.resize(kept.size());
    space.push_back(length);
    reduce_cells(reduction, space, element, rows, e);
    for (auto [result, row] : llvm::zip(results, rows))
      std::memcpy(static_cast<std::byte*>(result.mutable_data()) + segment * row.byte_count(),
                  row.data(), row.byte_count());
  }
  for (auto [value, array] : llvm::zip(op.getResults(), results))
    e.set(value, array);
}

} // namespace kolam::interp
