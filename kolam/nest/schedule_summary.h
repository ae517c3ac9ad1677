/// Schedules in one line, for people.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/schedule.h"
#include "kolam/support/machine.h"

namespace kolam::nest {

/// What is worth knowing of the loops that compute a nest's root: `16 lanes, dims 0 to 1 as one`.
std::string summary(const Schedule& schedule, const Nest& nest, const Machine& machine);
/// Why these go one element at a time; empty where they do not, and for loops of other kinds.
std::string why_one_lane(const Schedule& schedule, const Nest& nest, const Machine& machine);

} // namespace kolam::nest
