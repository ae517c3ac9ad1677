/// Vectors whose lanes trade places.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// n vectors of n lanes, n a power of two: lane j of vector i becomes lane i of vector j.
Values transposed(Values vectors, Emission& emission);
/// The last lane first.
Value reversed(Value vector, Emission& emission);

} // namespace kolam::lower::cpu
