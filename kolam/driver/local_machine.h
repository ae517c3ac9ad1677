/// This machine, as plans see it.
#pragma once

#include "kolam/plan/machine.h"

namespace kolam::driver {

/// Workers are threads of this process, `workers` of them, at most as many as the pool has, 0 for
/// all: a share each of the arithmetic and of the memory's bandwidth that so many threads have
/// together (runtime/machine_speed.h), and of half the memory. A transfer between them is a copy.
/// Measured once a process and kept on disk, by processor and number of threads.
plans::Machine local_machine(int64_t workers = 0);

} // namespace kolam::driver
