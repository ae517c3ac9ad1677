// One number of threads for every library of this process.
#include "bench/peers.h"

#include "kolam/runtime/thread_pool.h"

#include <dlfcn.h>

namespace kolam::bench {

void set_openblas_threads(int threads);

void set_threads(int threads) {
  runtime::set_thread_count(threads);
  set_openblas_threads(threads);
  // oneDNN runs on OpenMP, of whose library no header is installed.
  if (auto* set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads")))
    set(threads);
}

} // namespace kolam::bench
