/// Diagonals of matrices.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <optional>

namespace kolam {

/// Diagonal k of the matrices over two dims of x: result[..., i] = x[..., i, ..., i + k, ...], with
/// the diagonal's dim last. Throws `[rank-mismatch]` below rank 2, `[axis-out-of-range]`,
/// `[duplicate-axis]`.
///
///     >>> import kolam as ko
///     >>> ko.diagonal(ko.asarray([[1, 2], [3, 4]])).tolist()
///     [1, 4]
Tensor diagonal(const Operand& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// Of a vector the matrix with it on diagonal k and zeros elsewhere; of a matrix its diagonal k.
/// Throws `[rank-mismatch]` for other ranks.
///
///     >>> import kolam as ko
///     >>> ko.diag(ko.asarray([1, 2])).tolist()
///     [[1, 0], [0, 2]]
Tensor diag(const Operand& x, int64_t k = 0);
/// The sum over diagonal `offset`; dtypes as `sum`. Throws as `diagonal`.
Tensor trace(const Operand& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1,
             std::optional<DType> dtype = {});

} // namespace kolam
