// Single steps of streams: what one takes back to back and 1 ms apart, beside a loop that reads as
// many bytes and oneDNN.
#include "kolam/kolam.h"

#include "bench/limits.h"
#include "bench/steps/models.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace kolam::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Seconds of single calls, sorted.
struct Latencies {
  std::vector<double> back_to_back, spaced;
};

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
}

template <class F> std::vector<double> latencies(const F& call, int count, double apart) {
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) {
    if (apart > 0)
      std::this_thread::sleep_for(std::chrono::duration<double>(apart));
    Clock::time_point start = Clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::ranges::sort(seconds);
  return seconds;
}

template <class F> Latencies measure(const F& call) {
  latencies(call, 200, 0);
  return {latencies(call, 4000, 0), latencies(call, 400, 1e-3)};
}

void print(const char* who, const Latencies& found, double bytes, double bound) {
  const double p50 = quantile(found.back_to_back, 0.5);
  std::printf("  %-22s p50 %8.2f us  p99 %8.2f us | 1 ms apart p50 %8.2f us  p99 %8.2f us | %6.1f "
              "GB/s, %.2f of the bound\n",
              who, p50 * 1e6, quantile(found.back_to_back, 0.99) * 1e6,
              quantile(found.spaced, 0.5) * 1e6, quantile(found.spaced, 0.99) * 1e6,
              bytes / p50 * 1e-9, bound / p50);
}

} // namespace

void run(StepCase& row) {
  std::vector<std::byte> memory(static_cast<size_t>(row.bytes));
  std::memset(memory.data(), 1, memory.size());
  Latencies read = measure([&] { read_all(memory.data(), memory.size()); });
  const double bound = quantile(read.back_to_back, 0.5);
  std::printf("%s: %.2f MB\n", row.name.c_str(), static_cast<double>(row.bytes) * 1e-6);
  print("read loop", read, static_cast<double>(row.bytes), bound);
  for (StepPeer& runner : row.runners)
    print(runner.name.c_str(), measure(runner.call), static_cast<double>(row.bytes), bound);
}

} // namespace kolam::bench

int main(int count, char** arguments) {
  using namespace kolam::bench;
  for (const StepEntry& entry : step_entries()) {
    if (count > 1 && entry.name.find(arguments[1]) == std::string::npos)
      continue;
    StepCase row = entry.make();
    run(row);
  }
}
