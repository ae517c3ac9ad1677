/// Vectors whose lanes trade places.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// n vectors of n lanes, n a power of two: lane j of vector i becomes lane i of vector j.
Values transposed(Values vectors, Emission& emission);
/// As many vectors, in which the first lanes of all come first, then the second lanes: of x and y,
/// x0 y0 x1 y1 ...
Values interleaved(ValueSpan vectors, Emission& emission);
/// The other way round: of n vectors that follow one another, those of every n-th element.
Values deinterleaved(ValueSpan vectors, Emission& emission);
/// How many shuffles of two vectors either takes.
int64_t interleaving_shuffles(int64_t count);
/// x1 x0 x3 x2 ...
Value neighbours_swapped(Value vector, Emission& emission);
/// The last lane first.
Value reversed(Value vector, Emission& emission);

} // namespace kolam::lower::cpu
