/// Named reductions of a value over some of its dims, which vanish.
///
/// bf16 and f16 are computed in f32 and rounded once at the end. `dims` are increasing and counted
/// from the front.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/elementwise.h"

#include <optional>

namespace kolam::language {

/// The elements combined by fn; the result has their dtype.
Value combine(Builder& b, Value x, Fn fn, const Axes& dims);

/// add or multiply, in the default dtype for sums (bool and small integers i32 or u32) or in
/// `dtype`.
Value accumulate(Builder& b, Value x, Fn fn, const Axes& dims, std::optional<DType> dtype);
/// The dtype of its result. Throws `[dtype-mismatch]` for bool.
DType accumulation_dtype(DType operand, std::optional<DType> dtype);
/// minimum or maximum; refuses empty reductions.
Value extreme(Builder& b, Value x, Fn fn, const Axes& dims);
/// logical_and or logical_or of x != 0.
Value truth(Builder& b, Value x, Fn fn, const Axes& dims);
/// The row-major place of the first smallest (`before` is less) or largest (greater) element.
Value argument(Builder& b, Value x, Fn before, const Axes& dims);

/// sum / max(count - correction, 0), in the sum's dtype.
Value divide_by_count(Builder& b, Value sum, const Extent& count, double correction = 0);
/// sum / count; of integers in f32.
Value mean(Builder& b, Value x, const Axes& dims);
/// sum((x - mean)^2) / max(count - correction, 0)
Value variance(Builder& b, Value x, const Axes& dims, double correction);
Value standard_deviation(Builder& b, Value x, const Axes& dims, double correction);
/// log(sum(exp(x))) without overflow.
Value logsumexp(Builder& b, Value x, const Axes& dims);

/// x, or 0 where it is infinite or NaN: by what exponents may be shifted, as inf - inf would give
/// NaN.
Value finite_or_zero(Builder& b, Value x);
/// The dtype that a composite of floats computes in: f64 for f64, f32 for all others.
DType wide_dtype(DType dtype);
/// The dtype of a result of floats: the operand's if it is a float, else f32.
DType float_dtype(DType dtype);
/// `x` over the elements that `dims` reduced, back at `shape`.
Value spread(Builder& b, Value x, const Shape& shape, const Axes& dims);

} // namespace kolam::language
