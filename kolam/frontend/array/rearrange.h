/// A few names for common rearrangements of tensors, and places in them.
#pragma once

#include "kolam/frontend/array/axes.h"
#include "kolam/frontend/array/tensor.h"

#include <optional>
#include <source_location>
#include <utility>
#include <vector>

namespace kolam {

/// `x` with dims of extent 1 up to rank 3: [n] becomes [1, n, 1], [n, m] becomes [n, m, 1].
Tensor atleast_3d(const Operand& x);
/// The elements in row-major order, rank 1.
Tensor ravel(const Operand& x);
/// `x` turned by k quarters from the first of two `axes` to the second. Throws `[rank-mismatch]`
/// unless there are two, `[duplicate-axis]`, `[axis-out-of-range]`.
Tensor rot90(const Operand& x, int64_t k = 1, const Axes& axes = {0, 1});
/// n x m, one where j <= i + k, else zero; m is n if not given.
Tensor tri(const Extent& n, std::optional<Extent> m = {}, int64_t k = 0, DType dtype = DType::f32,
           std::source_location here = std::source_location::current());
/// The index of each dim of `shape` that places in row-major order stand for, in their dtype; a
/// negative place counts from the end, and what lies outside is brought to the border. Throws
/// `[dtype-mismatch]` for other than integers, `[extent-negative]`.
std::vector<Tensor> unravel_index(const Operand& indices, const std::vector<int64_t>& shape);
/// The pair floor_divide(x, y), remainder(x, y).
std::pair<Tensor, Tensor> divmod(const Operand& x, const Operand& y);

} // namespace kolam
