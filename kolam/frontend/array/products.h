/// Products of vectors and blocks.
#pragma once

#include "kolam/frontend/array/tensor.h"

namespace kolam {

/// The vectors at right angles to pairs of vectors of 3 elements along `axis`; the other dims
/// broadcast. Throws `[rank-mismatch]` for scalars, `[shape-mismatch]` for another number of
/// elements, `[axis-out-of-range]`.
Tensor cross(const Operand& x, const Operand& y, int64_t axis = -1);
/// The block matrix of all products x[i] y:
///
///     kron(x, y)[i p + k, j q + l] = x[i, j] y[k, l]     for y of [p, q]
///
/// The shorter shape is filled with 1 at the front.
Tensor kron(const Operand& x, const Operand& y);

} // namespace kolam
