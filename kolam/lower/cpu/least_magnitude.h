/// The least magnitudes of bf16 factors, which say whether sums of their products may be denormal.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// In every lane the least magnitude of the factors seen, 1 at most, but for zeros and NaN. Its
/// bits are held in a form whose order is that of unsigned numbers, in which zeros come last.
Value no_magnitude(Emission& emission);
/// With a factor more, in f32, of the lanes that count.
Value least_magnitude(Value before, Value factor, Emission& emission);
Value least_of(Value x, Value y, Emission& emission);
/// The least of all lanes, in all lanes.
Value least_of_lanes(Value least, Emission& emission);

/// Whether neither the factors nor any sum of some of their products are denormal, in all lanes
/// (Note [Sums without denormals]).
Value are_normal(Value rows, Value columns, Emission& emission);

} // namespace kolam::lower::cpu
