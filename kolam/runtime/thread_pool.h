/// The threads that run parallel regions: one pool a process, started on first use.
#pragma once

#include <cstdint>

namespace kolam::runtime {

/// Runs the chunks [begin, end). `worker` is below thread_count() and differs between ranges that
/// run at once. Must not throw.
using ChunkFunction = void (*)(void* context, int64_t begin, int64_t end, int worker);

/// Cuts [0, n_chunks) into one even range a thread (thread w of t: from n w / t), runs them at
/// once, the first on the calling thread, and returns when all are done.
///
/// Runs everything on the calling thread, as worker 0, where it is called from within a region,
/// where another thread has a region running, or where there is one chunk. All threads use the
/// caller's floating-point control word. What ranges wrote is visible to the caller. After fork the
/// child makes threads of its own; forking within a region needs exec or _exit before the region's
/// end. At most `most` threads run, whatever set_thread_count says in the meantime: `worker` is
/// below it.
void parallel_for(int64_t n_chunks, ChunkFunction function, void* context,
                  int64_t most = INT64_MAX) noexcept;

/// Runs one chunk on the calling thread as a region would: regions inside it get no more threads.
void run_alone(ChunkFunction function, void* context) noexcept;

/// The greatest number of threads of a region, the caller's included: set_thread_count, else
/// KOLAM_NUM_THREADS, else OMP_NUM_THREADS, else the cores this process may run on.
int thread_count() noexcept;
/// For regions to come; clipped to [1, 1024]. Waits for the region that runs.
void set_thread_count(int count);

/// The rule of thread_count: a value counts where it is an integer >= 1 (OMP_NUM_THREADS may be a
/// list, of which the first counts); null and malformed values are passed over.
int choose_thread_count(const char* kolam_num_threads, const char* omp_num_threads,
                        int cores) noexcept;

} // namespace kolam::runtime
