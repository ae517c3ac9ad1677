// Emits window starts.
#include "kolam/lower/window.h"

#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

#include <limits>

namespace kolam::lower {

WindowStart emit_window_start(Value indices, ValueSpan batch, llvm::ArrayRef<int64_t> dims,
                              ValueSpan extents, ValueSpan window, Emission& e) {
  ScalarBuilder s(e.b);
  WindowStart result;
  result.start.assign(extents.size(), e.i64(0));
  for (auto [extent, length] : llvm::zip(extents, window))
    result.last.push_back(e.sub(extent, length));
  DType dtype = ir::dtype_of(indices);
  Values at(batch.begin(), batch.end());
  at.push_back({});
  for (auto [column, dim] : llvm::enumerate(dims)) {
    at.back() = e.i64(static_cast<int64_t>(column));
    Value start = cast<ScalarBuilder, Value>(s, dtype, DType::i64, e.cell(indices, at));
    if (dtype == DType::u64)
      start = s.select(s.slt(start, e.i64(0)), e.i64(std::numeric_limits<int64_t>::max()), start);
    result.start[dim] = start;
  }
  return result;
}

Value emit_is_inside(const WindowStart& window, llvm::ArrayRef<int64_t> dims, Emission& e) {
  ScalarBuilder s(e.b);
  Value inside = e.constant(DType::boolean, 1);
  for (int64_t dim : dims) {
    Value start = window.start[dim];
    inside = s.and_(inside, s.and_(s.sge(start, e.i64(0)), s.sle(start, window.last[dim])));
  }
  return inside;
}

Values emit_clip_start(const WindowStart& window, llvm::ArrayRef<int64_t> dims, Emission& e) {
  Values clipped = window.start;
  for (int64_t dim : dims)
    clipped[dim] = e.clip(clipped[dim], window.last[dim]);
  return clipped;
}

Value emit_cell_is_inside(Value place, Value offset, Value extent, Emission& e) {
  ScalarBuilder s(e.b);
  return s.and_(s.sge(place, e.sub(e.i64(0), offset)), s.slt(place, e.sub(extent, offset)));
}

} // namespace kolam::lower
