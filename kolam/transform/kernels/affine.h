/// Numbers of blocks as affine functions of the point.
#pragma once

#include "mlir/IR/Value.h"

#include <optional>
#include <vector>

namespace kolam::transform::kernels {

/// An integer as a sum of coordinates of the point with factors, and a number.
struct Affine {
  std::vector<int64_t> factors;
  int64_t offset = 0;
};

/// Whether numbers of a grid of known extents, which maps compute in 32 bits, might wrap.
bool may_wrap(const Affine& number, llvm::ArrayRef<int64_t> grid);

/// Of a value in a map, whose first `rank` arguments are the point; nullopt where it is not known
/// to be affine. Says what it is as long as it does not wrap.
std::optional<Affine> affine_of(mlir::Value value, size_t rank);

} // namespace kolam::transform::kernels
