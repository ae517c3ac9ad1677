// Emits window starts.
#include "kolam/lower/window.h"

#include "kolam/analysis/ranges.h"
#include "kolam/lower/clipped_starts.h"
#include "kolam/lower/scalar_builder.h"

namespace kolam::lower {

Values emit_places(Value indices, IndexSpan batch, Emission& e) {
  DType dtype = ir::dtype_of(indices);
  Index at(batch);
  at.push_back({});
  Values places;
  for (int64_t column = 0; column < *ir::shape_of(indices).back().constant(); ++column) {
    at.back() = e.i64(column);
    places.push_back(widen_index(e.cell(indices, at), dtype, e));
  }
  return places;
}

WindowStart window_start(ValueSpan places, llvm::ArrayRef<int64_t> dims, ValueSpan extents,
                         ValueSpan window, Emission& e) {
  WindowStart result;
  result.start.assign(extents.size(), Coordinate(e.i64(0)));
  for (auto [extent, length] : llvm::zip(extents, window))
    result.last.push_back(e.sub(extent, length));
  for (auto [place, dim] : llvm::zip(places, dims))
    result.start[dim] = Coordinate::of(place);
  return result;
}

bool surely_lie_inside(Value indices, llvm::ArrayRef<int64_t> dims, const Shape& extents,
                       const Shape& window) {
  auto range = analysis::Ranges().of(indices);
  return range && llvm::all_of(dims, [&](int64_t dim) {
           auto extent = extents[static_cast<size_t>(dim)].constant(),
                length = window[static_cast<size_t>(dim)].constant();
           return range->least >= 0 && extent && length && range->most <= *extent - *length;
         });
}

Value emit_is_inside(const WindowStart& window, llvm::ArrayRef<int64_t> dims, Emission& e) {
  ScalarBuilder s(e.b);
  Values asked; // what is not known now
  for (int64_t dim : dims) {
    const Coordinate &start = window.start[dim], last(window.last[dim]);
    if (e.is_less(start, e.i64(0)) != false)
      asked.push_back(s.sge(e.value(start), e.i64(0)));
    if (e.is_less(last, start) != false)
      asked.push_back(s.sle(e.value(start), last.base));
  }
  if (asked.empty())
    return e.constant(DType::boolean, 1);
  Value inside = asked[0];
  for (Value more : ValueSpan(asked).drop_front())
    inside = s.and_(inside, more);
  return inside;
}

Index emit_clip_start(const WindowStart& window, llvm::ArrayRef<int64_t> dims, Emission& e) {
  Index clipped = window.start;
  for (int64_t dim : dims)
    clipped[dim] = e.clip(clipped[dim], window.last[dim]);
  return clipped;
}

Value emit_cell_is_inside(const Coordinate& place, const Coordinate& offset, Value extent,
                          Emission& e) {
  ScalarBuilder s(e.b);
  return s.and_(
      e.compare(mlir::arith::CmpIPredicate::sge, place, e.sub(Coordinate(e.i64(0)), offset)),
      e.compare(mlir::arith::CmpIPredicate::slt, place, e.sub(Coordinate(extent), offset)));
}

} // namespace kolam::lower
