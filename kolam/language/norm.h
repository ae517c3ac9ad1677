/// Norms of vectors and matrices. `dims` are increasing and counted from the front.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// (sum |x|^order)^(1 / order) over `dims`; of an infinite order the greatest or the least |x|, of
/// order 0 the number of elements that are not 0, of order 2 sqrt(sum x^2) scaled by nothing. f16
/// and bf16 compute in f32 and round once, integers give f32.
Value vector_norm(Builder& b, Value x, const Axes& dims, double order);
/// The greatest (order 1) or least (-1) sum of a column's |x|, of a row's for inf and -inf. `rows`
/// and `columns` are the dims of matrices. Throws `[bad-option]` for other orders.
Value matrix_norm(Builder& b, Value x, int64_t rows, int64_t columns, double order);

} // namespace kolam::language
