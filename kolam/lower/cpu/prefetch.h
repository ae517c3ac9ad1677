/// Memory that is asked for before it is needed.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// From here on, memory ahead of every load and store of a value is asked for.
void emit_prefetch(const nest::ScheduleAhead& ahead, Emission& emission);

} // namespace kolam::lower::cpu
