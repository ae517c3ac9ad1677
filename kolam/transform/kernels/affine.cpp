// Takes the rows that neither divide nor hold symbols.
#include "kolam/transform/kernels/affine.h"

#include "kolam/ir/index_row.h"

namespace kolam::transform::kernels {

std::optional<Affine> affine_of(mlir::Value value, size_t rank) {
  auto row = ir::index_row(value, rank);
  auto offset = row && space::is_affine(*row) ? row->offset.constant() : std::nullopt;
  return offset ? std::optional(Affine{row->coefficients, *offset}) : std::nullopt;
}

} // namespace kolam::transform::kernels
