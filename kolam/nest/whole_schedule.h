/// The schedules of ops that are emitted by loops of their own.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/schedule.h"
#include "kolam/support/machine.h"

namespace kolam::nest {

/// Loops over the tasks that the op counts, and over what one of them does by blocks: rows of
/// queries, neighbouring lines of a running combination.
Schedule whole_schedule(const Nest& nest, const Machine& machine, bool past_caches);

} // namespace kolam::nest
