// Takes the rows that neither divide nor hold symbols.
#include "kolam/transform/kernels/affine.h"

#include "kolam/ir/index_row.h"

namespace kolam::transform::kernels {

bool may_wrap(const Affine& number, llvm::ArrayRef<int64_t> grid) {
  constexpr int64_t kMost = int64_t{1} << 30; // bound: twice as much is an i32
  if (number.offset < -kMost || number.offset > kMost)
    return true;
  int64_t sum = std::abs(number.offset);
  for (auto [factor, extent] : llvm::zip_equal(number.factors, grid)) {
    int64_t part = 0;
    if (factor == INT64_MIN || __builtin_mul_overflow(std::abs(factor), extent, &part) ||
        __builtin_add_overflow(sum, part, &sum))
      return true;
  }
  return sum > kMost;
}

std::optional<Affine> affine_of(mlir::Value value, size_t rank) {
  auto row = ir::index_row(value, rank);
  auto offset = row && space::is_affine(*row) ? row->offset.constant() : std::nullopt;
  return offset ? std::optional(Affine{row->coefficients, *offset}) : std::nullopt;
}

} // namespace kolam::transform::kernels
