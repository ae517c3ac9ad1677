/// Ranges of equally spaced numbers.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/number.h"

#include <optional>

namespace kolam::language {

/// result[i] = start + i step for all i >= 0 with start + i step < stop (> stop for a negative
/// step). The count is exact, not rounded. Integers of an integer dtype are computed in it; all
/// else in f64 and converted once. The default dtype is f32 where a number is a float, else i32, or
/// i64 where a number does not fit or is symbolic. A symbolic step is taken as positive. Throws
/// `[bad-step]`, `[not-finite]`, `[symbolic-extent]` where floats stand beside symbols,
/// `[scalar-does-not-fit]`, `[dtype-mismatch]` for bool.
Value arange(Builder& b, const Number& start, const Number& stop, const Number& step,
             std::optional<DType> dtype);

/// The number of its elements.
Extent arange_count(const Number& start, const Number& stop, const Number& step);

} // namespace kolam::language
