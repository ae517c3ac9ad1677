/// Reductions that leave NaN out. `dims` are increasing and counted from the front.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/elementwise.h"

namespace kolam::language {

/// x with `value` in place of NaN; x itself where it is not of floats.
Value without_nan(Builder& b, Value x, double value);
/// How many of the floats that `dims` reduce are not NaN, in `dtype`.
Value count_numbers(Builder& b, Value x, const Axes& dims, DType dtype);

/// mean, and sum((x - mean)^2) / max(count - correction, 0), of the elements that are not NaN; of
/// none NaN. Integers give f32.
Value nan_mean(Builder& b, Value x, const Axes& dims);
Value nan_variance(Builder& b, Value x, const Axes& dims, double correction);
Value nan_standard_deviation(Builder& b, Value x, const Axes& dims, double correction);
/// The least (minimum) or greatest (maximum) that is not NaN, NaN of none but NaN.
Value nan_extreme(Builder& b, Value x, Fn fn, const Axes& dims);
/// The place of the first of them, row-major; -1 where there are none but NaN.
Value nan_argument(Builder& b, Value x, Fn fn, const Axes& dims);
/// x with NaN, inf and -inf replaced; a null replacement of inf is the highest number of the dtype,
/// of -inf the lowest.
Value nan_to_num(Builder& b, Value x, double nan, std::optional<double> posinf,
                 std::optional<double> neginf);

} // namespace kolam::language
