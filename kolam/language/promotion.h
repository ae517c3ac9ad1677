/// Promotion: the common dtype of operands, and Python-like scalars that take the arrays' dtype.
#pragma once

#include "kolam/language/builder.h"

#include <variant>

namespace kolam::language {

/// The dtype of a result of two dtypes (array API; int with float gives the float; bf16 with f16
/// gives f32). Throws
/// `[no-promotion]` for u64 with a signed integer.
DType promote(DType a, DType b);

/// A scalar without a dtype of its own. Integers are int64_t, or uint64_t beyond its range.
using WeakScalar = std::variant<bool, int64_t, double, uint64_t>;

/// The dtype that `scalar` takes beside `other`: the same within its kind, a float beside integers
/// f32, a number beside booleans its default (i32, f32).
DType weak_dtype(const WeakScalar& scalar, DType other);
/// Beside nothing: bool, i32 or f32.
DType default_dtype(const WeakScalar& scalar);

/// True where an integer dtype has the value.
bool fits(int64_t value, DType dtype);

/// True where `dtype` holds the scalar: an integer, or a float without its fraction, in the range
/// of an integer dtype, a finite number that a float dtype does not round to infinity.
bool holds(DType dtype, const WeakScalar& scalar);
/// Throws `[scalar-does-not-fit]` unless it does.
void require_fit(const WeakScalar& scalar, DType dtype);

/// A rank-0 constant. Throws `[scalar-does-not-fit]` as `require_fit` does.
Value weak_constant(Builder& b, const WeakScalar& scalar, DType dtype);

/// `x` converted, by a cast op where the dtype differs.
Value cast(Builder& b, Value x, DType dtype);
/// All values at their common dtype.
Values promote(Builder& b, Values values);

} // namespace kolam::language
