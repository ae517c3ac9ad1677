/// Ends the process well while threads are inside Kolam (Note [Threads at exit] in
/// thread_exit.cpp).
#pragma once

namespace kolam::python {

/// Notes that this thread calls Kolam.
void count_thread();
/// To be called once, when the module is loaded.
void end_well_with_threads();

} // namespace kolam::python
