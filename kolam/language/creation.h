/// Values made from shapes and numbers.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::language {

/// Throws `[extent-negative]` for an extent below 0, and `[extent-unbound]` for a symbol that is an
/// extent of no argument.
void require_shape(Builder& b, const Shape& shape);

/// The dtype that counts positions along dims of these extents: i32, or i64 where one exceeds 2^31
/// - 1 or is symbolic.
DType index_dtype(const Shape& extents);

/// `value` modulo 2^width as a rank-0 constant of an integer dtype, or rounded to a float dtype.
Value integer_constant(Builder& b, int64_t value, DType dtype);

/// A symbolic extent as a rank-0 value of `dtype`; the run checks `[scalar-does-not-fit]` where an
/// integer dtype may be too narrow for it. Throws `[extent-unbound]`.
Value extent_scalar(Builder& b, const Extent& extent, DType dtype);

/// result[i] = i[dim].
Value iota(Builder& b, const Shape& shape, int64_t dim, DType dtype);

/// result[i] = value; `value` broadcasts to `shape`.
Value full(Builder& b, const Shape& shape, Value value);

/// result[i, j] = 1 where j = i + k, else 0.
Value eye(Builder& b, const Extent& rows, const Extent& columns, int64_t k, DType dtype);

enum class Triangle : uint8_t { lower, upper };

/// `x` with zeros where j > i + k (lower) or j < i + k (upper) in the last two dims. Throws
/// `[rank-mismatch]`.
Value triangle(Builder& b, Value x, Triangle kept, int64_t k);

/// result[.., j] = 1 where x[..] = j, else 0. Throws `[dtype-mismatch]` where x has no integers.
Value one_hot(Builder& b, Value x, const Extent& depth, DType dtype);

/// result[v][i] = values[v][i[v]] over the product of all extents, with the first two dims
/// exchanged if `swapped`.
Values meshgrid(Builder& b, const Values& values, bool swapped);

/// result[i] = start + i (stop - start) / d in f64, rounded once, where d = num - 1 and the last is
/// `stop` itself, or d = num without an endpoint. Throws `[dtype-mismatch]` where `dtype` is no
/// float.
Value linspace(Builder& b, Value start, Value stop, const Extent& num, bool endpoint,
               std::optional<DType> dtype);
/// What that has at integers `places` of any shape.
Value linspace_at(Builder& b, Value places, Value start, Value stop, const Extent& num,
                  bool endpoint, DType dtype);

/// The operand's bits. Throws `[dtype-mismatch]` for booleans and where the widths differ.
Value bitcast(Builder& b, Value x, DType dtype);

} // namespace kolam::language
