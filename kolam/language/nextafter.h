/// The neighbours of floats.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// The float next to x on the way to y: y where they are equal, NaN where one is. Integers become
/// f32; the two broadcast. Throws `[dtype-mismatch]`, `[no-promotion]`, `[shape-mismatch]`.
Value nextafter(Builder& b, Value x, Value y);

} // namespace kolam::language
