/// Powers whose exponent is known when the program is made.
#pragma once

#include "kolam/language/promotion.h"

namespace kolam::language {

/// Whether x^exponent of a dtype is some products, a root or a division: 1, 2, 3 and, of floats,
/// -1, 0.5, -0.5. A float exponent makes floats of integers.
bool has_short_power(DType dtype, const WeakScalar& exponent);

/// Such a power, with the results that `pow` has at zeros, infinities and NaN. It may differ from
/// `pow` in the last bit. Narrow floats are rounded once.
Value short_power(Builder& b, Value x, const WeakScalar& exponent);

} // namespace kolam::language
