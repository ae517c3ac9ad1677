/// How many threads programs use.
#pragma once

#include <cstdint>

namespace kolam {

/// From now on parallel parts of programs run on at most `count` threads, the caller's included.
///
/// No result changes by a bit. Waits for the part that is running. Throws `[bad-option]` outside 1
/// to 1024. Before the first call it is KOLAM_NUM_THREADS, else OMP_NUM_THREADS, else the number of
/// cores that the process may run on.
void set_num_threads(int64_t count);

/// How many threads that are.
int64_t get_num_threads();

} // namespace kolam
