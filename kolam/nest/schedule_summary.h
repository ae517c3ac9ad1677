/// Schedules in one line, for people.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/schedule.h"
#include "kolam/support/machine.h"

namespace kolam::nest {

/// What is worth knowing of the loops that compute a nest's root: `16 lanes, dims 0 to 1 as one`.
std::string summary(const Schedule& schedule, const Nest& nest, const Machine& machine);

} // namespace kolam::nest
