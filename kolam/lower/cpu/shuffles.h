/// Vectors whose lanes trade places.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// n vectors of n lanes, n a power of two: lane j of vector i becomes lane i of vector j.
Values transposed(Values vectors, Emission& emission);
/// As many vectors, in which the first lanes of all come first, then the second lanes: of x and y,
/// x0 y0 x1 y1 ...
Values interleaved(ValueSpan vectors, Emission& emission);
/// The last lane first.
Value reversed(Value vector, Emission& emission);

} // namespace kolam::lower::cpu
