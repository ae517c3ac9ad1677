/// Emitting nests whose roots give single elements.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// Emits the loops and stages of the nest's schedule, as they stand.
void emit_map(Emission& emission);

} // namespace kolam::lower::cpu
