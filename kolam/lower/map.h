/// Emitting nests whose roots give single elements.
#pragma once

#include "kolam/lower/emission.h"
#include "kolam/lower/map_plan.h"

namespace kolam::lower {

/// for every element of the root's results: result[i] = elements(i), walked as planned. The
/// outermost dim is the nest's parallel range.
void emit_map(const MapPlan& plan, Emission& emission);

} // namespace kolam::lower
