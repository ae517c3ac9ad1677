/// Functions of the elementwise table on values of any dtypes and shapes.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/elementwise.h"

namespace kolam::language {

/// result[i] = fn(values[0][i], ...): promotes to one dtype (integers become f32 for a function
/// over floats), broadcasts, applies. Throws `[dtype-mismatch]` where the function has no meaning
/// on the dtype.
Value elementwise(Builder& b, Fn fn, Values values);

} // namespace kolam::language
