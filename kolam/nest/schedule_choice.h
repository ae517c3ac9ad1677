/// Chooses the schedule of a nest.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/schedule.h"
#include "kolam/support/machine.h"

namespace kolam::nest {

/// The names of a nest's ops in schedules: `y` for the root, then function and number.
std::vector<std::string> op_names(const Nest& nest);

/// The schedule that follows from the nest's signatures and the machine.
Schedule choose_schedule(const Nest& nest, const Machine& machine);

/// The schedules that lowering can follow for a nest, the rules' own first and alone where there is
/// nothing to choose. No choice changes a bit of any result.
std::vector<Schedule> schedules_for(const Nest& nest, const Machine& machine);

} // namespace kolam::nest
