// Clips the starts of windows.
#include "kolam/lower/clipped_starts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kolam::lower {

Value widen_index(Value index, DType dtype, Emission& e) {
  if (dtype == DType::u64)
    return mlir::arith::MinUIOp::create(e.b, index, e.i64(std::numeric_limits<int64_t>::max()));
  if (dtype == DType::i64)
    return index;
  if (is_unsigned_integer(dtype))
    return mlir::arith::ExtUIOp::create(e.b, e.b.getI64Type(), index);
  return mlir::arith::ExtSIOp::create(e.b, e.b.getI64Type(), index);
}

Index clipped_starts(mlir::ValueRange starts, const Shape& extents, const Shape& sizes,
                     Emission& e) {
  Index result;
  for (auto [d, start] : llvm::enumerate(starts)) {
    Value wide = widen_index(e.cell(start, {}), ir::dtype_of(start), e);
    result.push_back(e.clip(Coordinate(wide), e.extent(extents[d] - sizes[d])));
  }
  return result;
}

} // namespace kolam::lower
