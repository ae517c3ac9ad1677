// Clips the starts of windows.
#include "kolam/lower/clipped_starts.h"

#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

#include <limits>

namespace kolam::lower {

Value widen_index(Value index, DType dtype, Emission& e) {
  ScalarBuilder s(e.b);
  if (Value wide = is_signed_integer(dtype) ? e.widened(index) : Value())
    return wide;
  if (dtype != DType::u64)
    return cast<ScalarBuilder, Value>(s, dtype, DType::i64, index);
  Value highest = e.i64(std::numeric_limits<int64_t>::max());
  return s.select(s.slt(index, e.i64(0)), highest, index);
}

Index clipped_starts(mlir::Operation* op, mlir::ValueRange starts, const Shape& extents,
                     const Shape& sizes, Emission& e) {
  Values clipped = e.once_at(op, {}, [&] {
    Values places;
    for (auto [d, start] : llvm::enumerate(starts)) {
      Value wide = widen_index(e.cell(start, {}), ir::dtype_of(start), e);
      places.push_back(e.value(e.clip(Coordinate::of(wide), e.extent(extents[d] - sizes[d]))));
    }
    return places;
  });
  Index result;
  for (Value place : clipped)
    result.push_back(Coordinate::of(place));
  return result;
}

} // namespace kolam::lower
