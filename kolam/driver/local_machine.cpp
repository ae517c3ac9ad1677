// Measures this machine for plans.
#include "kolam/driver/local_machine.h"

#include "kolam/backend/table/backends.h"
#include "kolam/driver/disk_cache.h"
#include "kolam/runtime/machine_speed.h"
#include "kolam/runtime/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace kolam::driver {
namespace {

using plans::Machine;

/// Probe: of what registers can do, products of matrices reach so much; 0.85 to 0.95 on Zen 3 to 5
/// (`make bench`, rows of products).
constexpr double kReached = 0.9;
/// Bytes of the probe of memory: beyond the last level of caches.
constexpr double kProbedBytes = 1 << 28;
/// Probe: seconds of an empty task (`kolam_bench --filter plan`), and of handing a block over.
constexpr double kTaskSeconds = 8e-6, kHandOver = 1e-6;

/// The best of several rounds, a pause between them: other programs may take the cores meanwhile.
constexpr int kRounds = 5;
constexpr std::chrono::milliseconds kPause(20);

Machine measured(int threads) {
  const kolam::Machine& target = backend::default_backend()->machine();
  Machine machine;
  machine.workers = threads;
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0)
      std::this_thread::sleep_for(kPause);
    const double flops = runtime::most_flops(target.vector_bytes, target.has_fma, threads);
    const double bytes = runtime::most_bytes(kProbedBytes, target.vector_bytes, threads);
    machine.flops = std::max(machine.flops, kReached * flops / threads);
    machine.memory_bandwidth = std::max(machine.memory_bandwidth, bytes / threads);
  }
  machine.memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE) / 2 / threads;
  machine.levels = {
      {.group = int64_t{1} << 30, .bandwidth = machine.memory_bandwidth, .latency = kHandOver}};
  machine.task_overhead = kTaskSeconds;
  return machine;
}

Machine found_or_measured(int threads) {
  const CacheDirectory directory = CacheDirectory::open();
  const ContentKey key = content_key(
      {"machine of plans 2", backend::default_backend()->target(), std::to_string(threads)});
  if (directory.is_open())
    if (auto bytes = find_entry(directory, Shelf::schedules, key).bytes) {
      try {
        return plans::machine_from_json(*bytes);
      } catch (const Error&) { // of another version: measured anew
      }
    }
  Machine machine = measured(threads);
  if (directory.is_open())
    keep_entry(directory, Shelf::schedules, key, plans::to_json(machine));
  return machine;
}

} // namespace

Machine local_machine(int64_t workers) {
  const int all = runtime::thread_count();
  const int threads = workers > 0 ? static_cast<int>(std::min<int64_t>(workers, all)) : all;
  static std::mutex mutex;
  static std::map<int, Machine> known; // by number of threads
  std::lock_guard lock(mutex);
  auto [found, is_new] = known.try_emplace(threads);
  if (is_new)
    found->second = found_or_measured(threads);
  return found->second;
}

} // namespace kolam::driver
