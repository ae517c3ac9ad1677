// A pool whose threads spin for a short while, then sleep on a futex of their own.
#include "kolam/runtime/thread_pool.h"

#include "kolam/support/machine.h"
#include "kolam/support/warning.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <linux/futex.h>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace kolam::runtime {
namespace {

/// Bound: of what a user may ask for.
constexpr int kMaxThreads = 1024;

constexpr size_t kLine = Caches().line;

#if defined(__x86_64__)
unsigned float_control() { return _mm_getcsr(); }
void set_float_control(unsigned control) { _mm_setcsr(control); }
void relax() { _mm_pause(); }
#else
unsigned float_control() { return 0; }
void set_float_control(unsigned) {}
void relax() {}
#endif

/// A 32-bit word that one thread waits for to change and another changes. The pair (word, sleeping)
/// is a Dekker handshake: the sleeper announces itself, then the kernel compares; the waker changes
/// the word, then looks.
class Signal {
public:
  uint32_t load() const { return word_.load(std::memory_order_acquire); }
  void store(uint32_t value) { word_.store(value, std::memory_order_relaxed); }

  void add(uint32_t amount) {
    word_.fetch_add(amount, std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_seq_cst))
      syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

  /// Takes one off; wakes the sleeper where nothing is left.
  void count_down() {
    if (word_.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
        sleeping_.load(std::memory_order_seq_cst))
      syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

  template <class Done> void wait(Done done, int spins) {
    for (int i = 0; i < spins; ++i) {
      if (done(load()))
        return;
      relax();
    }
    sleeping_.store(1, std::memory_order_seq_cst);
    for (uint32_t seen = word_.load(std::memory_order_seq_cst); !done(seen);
         seen = word_.load(std::memory_order_seq_cst))
      syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
    sleeping_.store(0, std::memory_order_relaxed);
  }

private:
  std::atomic<uint32_t> word_ = 0;
  std::atomic<uint32_t> sleeping_ = 0;
};

struct Job {
  ChunkFunction function;
  void* context;
  int64_t chunks;
  int threads;
  unsigned float_control;

  int64_t start(int worker) const {
    // chunks * worker may overflow: the quotient and the remainder apart.
    return chunks / threads * worker + chunks % threads * worker / threads;
  }
  void run(int worker) const { function(context, start(worker), start(worker + 1), worker); }
};

thread_local bool in_region = false;

struct Pool;

/// What a thread waits for and what it then reads share one cache line, which is all that a start
/// moves.
struct alignas(kLine) Worker {
  Pool* pool;
  int idx;
  Signal start = {}; // counts the regions this worker takes part in
  Job job = {};
};
static_assert(sizeof(Worker) == kLine);

/// Lives as long as the process: its threads never end, and a region may run while statics are
/// destroyed.
struct Pool {
  std::mutex region; // held while a region runs
  std::atomic<int> wanted = 1;
  std::atomic<int> spins = kThreads.spins;
  std::vector<std::unique_ptr<Worker>> workers; // worker 0 is the caller and not among them
  alignas(kLine) Signal left;                   // workers that have not finished the job
};

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max<long>(1, sysconf(_SC_NPROCESSORS_ONLN)));
}

/// With more threads than cores a spinning one keeps another from working.
void set_wanted(Pool& pool, int threads) {
  pool.wanted = threads;
  pool.spins = threads <= available_cores() ? kThreads.spins : kThreads.crowded_spins;
}

constinit std::atomic<Pool*> current = nullptr;

/// The child of a fork has no workers, and the parent's locks may be held: it starts over.
void forget_pool() { current.store(nullptr, std::memory_order_relaxed); }

/// An integer in [1, INT_MAX], up to a comma; else 0.
int read_count(const char* text) {
  if (!text)
    return 0;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  const bool whole = end != text && (*end == '\0' || *end == ',');
  return whole && value >= 1 ? static_cast<int>(std::min<long>(value, kMaxThreads)) : 0;
}

/// A value that is no number of threads counts as none; its user is told.
void warn_of_count(const char* variable) {
  const char* text = std::getenv(variable);
  if (text && *text && read_count(text) == 0)
    warn(std::string(variable) + ": expected a number of threads, at least 1, but got '" + text +
         "', which is passed over");
}

Pool* make_pool() {
  static const int registered = pthread_atfork(nullptr, nullptr, forget_pool);
  static_cast<void>(registered);
  auto pool = std::make_unique<Pool>();
  warn_of_count("KOLAM_NUM_THREADS");
  set_wanted(*pool, choose_thread_count(std::getenv("KOLAM_NUM_THREADS"),
                                        std::getenv("OMP_NUM_THREADS"), available_cores()));
  return pool.release();
}

Pool& the_pool() {
  Pool* pool = current.load(std::memory_order_acquire);
  if (pool) [[likely]]
    return *pool;
  auto made = std::unique_ptr<Pool>(make_pool());
  if (current.compare_exchange_strong(pool, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *pool;
}

void* work(void* argument) {
  Worker& self = *static_cast<Worker*>(argument);
  Pool& pool = *self.pool;
  in_region = true;
  for (uint32_t seen = 0;; ++seen) {
    self.start.wait([seen](uint32_t word) { return word != seen; }, pool.spins);
    set_float_control(self.job.float_control);
    self.job.run(self.idx);
    pool.left.count_down();
  }
  return nullptr;
}

/// Blocks signals in the new thread: Ctrl-C is for threads that the user made.
bool start_thread(Worker& worker) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, work, &worker) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) {
    pthread_setname_np(thread, "kolam");
    pthread_detach(thread);
  }
  return started;
}

/// Threads ready for a region, at most `wanted`; fewer where the system gives no more.
int start_workers(Pool& pool, int wanted) {
  try {
    while (static_cast<int>(pool.workers.size()) + 1 < wanted) {
      const int idx = static_cast<int>(pool.workers.size()) + 1;
      pool.workers.push_back(std::make_unique<Worker>(&pool, idx));
      if (!start_thread(*pool.workers.back())) {
        pool.workers.pop_back();
        break;
      }
    }
  } catch (const std::bad_alloc&) {
    // The ones that run suffice.
  }
  return std::min(wanted, static_cast<int>(pool.workers.size()) + 1);
}

void run_region(Pool& pool, const Job& job) {
  pool.left.store(static_cast<uint32_t>(job.threads - 1));
  for (int w = 1; w < job.threads; ++w) {
    Worker& worker = *pool.workers[static_cast<size_t>(w - 1)];
    worker.job = job;
    worker.start.add(1);
  }
  in_region = true;
  job.run(0);
  in_region = false;
  pool.left.wait([](uint32_t word) { return word == 0; }, pool.spins);
}

} // namespace

void parallel_for(int64_t n_chunks, ChunkFunction function, void* context, int64_t most) noexcept {
  if (n_chunks <= 0)
    return;
  if (n_chunks == 1 || in_region)
    return function(context, 0, n_chunks, 0);
  Pool& pool = the_pool();
  std::unique_lock lock(pool.region, std::try_to_lock);
  const int wanted = static_cast<int>(
      std::min<int64_t>({pool.wanted.load(std::memory_order_relaxed), n_chunks, most}));
  const int threads = lock && wanted > 1 ? start_workers(pool, wanted) : 1;
  if (threads > 1)
    return run_region(pool, {function, context, n_chunks, threads, float_control()});
  if (lock)
    lock.unlock();
  function(context, 0, n_chunks, 0);
}

void run_alone(ChunkFunction function, void* context) noexcept {
  if (in_region)
    return function(context, 0, 1, 0);
  std::unique_lock lock(the_pool().region, std::try_to_lock);
  in_region = true;
  function(context, 0, 1, 0);
  in_region = false;
}

int thread_count() noexcept { return the_pool().wanted.load(std::memory_order_relaxed); }

void set_thread_count(int count) {
  Pool& pool = the_pool();
  std::unique_lock lock(pool.region, std::defer_lock);
  if (!in_region) // within a region its thread holds the lock already
    lock.lock();
  set_wanted(pool, std::clamp(count, 1, kMaxThreads));
}

int choose_thread_count(const char* kolam_num_threads, const char* omp_num_threads,
                        int cores) noexcept {
  for (const char* text : {kolam_num_threads, omp_num_threads})
    if (const int count = read_count(text))
      return count;
  return std::clamp(cores, 1, kMaxThreads);
}

} // namespace kolam::runtime
