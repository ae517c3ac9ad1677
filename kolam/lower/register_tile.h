/// Turning square tiles in registers.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// As many vectors as each has lanes, a power of two: lane j of result i is lane i of vector j.
Values emit_transposed(ValueSpan vectors, Emission& emission);

} // namespace kolam::lower
