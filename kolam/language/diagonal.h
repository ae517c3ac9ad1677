/// Diagonals of matrices and what is made of them.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::language {

/// result[..., i] = x[.., i + max(-k, 0), .., i + max(k, 0), ..] over `dim1` and `dim2` of x, which
/// vanish; the diagonal's dim comes last. Throws `[rank-mismatch]`, `[axis-out-of-range]`,
/// `[duplicate-axis]`.
Value diagonal(Builder& b, Value x, int64_t k, int64_t dim1, int64_t dim2);
/// The matrix with the rank-1 x on diagonal k, zeros elsewhere.
Value diagonal_matrix(Builder& b, Value x, int64_t k);
/// The sum over diagonal k; dtypes as `accumulate`.
Value trace(Builder& b, Value x, int64_t k, int64_t dim1, int64_t dim2, std::optional<DType> dtype);

} // namespace kolam::language
