/// This machine, as plans see it.
#pragma once

#include "kolam/plan/machine.h"

namespace kolam::driver {

/// Workers are threads of this process, as many as the pool has: a share each of the arithmetic and
/// of the memory's bandwidth that runtime/machine_speed.h measures, and of half the memory. A
/// transfer between them is a copy. Measured once a process and kept on disk, by processor and
/// number of threads.
plans::Machine local_machine();

} // namespace kolam::driver
