// Checks what everybody gives, then takes times in turns.
#include "bench/harness.h"

#include "bench/operands.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <thread>

namespace kolam::bench {
namespace {

/// Threads of other libraries wait for their next region in a loop before they sleep; a turn starts
/// when they are gone.
constexpr std::chrono::milliseconds kSettle{5};
constexpr double kLeastSample = 1e-4;
/// Calls this long need no warming up, and one sample of them says enough.
constexpr double kLongSample = 0.1;

using Seconds = std::function<double(int64_t)>;

void require_close(const std::string& name, const std::vector<double>& found,
                   const std::vector<double>& expected, double tolerance) {
  if (found.size() != expected.size())
    throw std::runtime_error(name + " gives " + std::to_string(found.size()) +
                             " elements, but expected " + std::to_string(expected.size()));
  double scale = 0;
  for (double value : expected)
    scale = std::max(scale, std::abs(value));
  for (size_t i = 0; i < found.size(); ++i)
    if (!(std::abs(found[i] - expected[i]) <= tolerance * scale)) // so that NaN fails
      throw std::runtime_error(name + " gives " + std::to_string(found[i]) + " in element " +
                               std::to_string(i) + ", but expected " + std::to_string(expected[i]));
}

/// One runner's turns.
struct Runner {
  Seconds seconds;
  int64_t calls = 1; ///< a sample
  double sample = 0; ///< seconds of the first one
  Rounds rounds = {};
};

void prepare(Runner& runner) {
  double once = runner.seconds(1);
  if (once < kLongSample)
    once = std::max(runner.seconds(1), 1e-9);
  runner.calls = std::max<int64_t>(1, std::llround(std::ceil(kLeastSample / once)));
  runner.sample = once * static_cast<double>(runner.calls);
}

/// The best sample of a turn, after one that nobody counts: it wakes threads and fills caches.
double take_turn(const Runner& runner, double seconds) {
  std::this_thread::sleep_for(kSettle);
  const bool is_long = runner.sample >= kLongSample;
  if (!is_long)
    runner.seconds(runner.calls);
  double best = 0, spent = 0;
  for (int samples = 0; samples < (is_long ? 1 : 2) || spent < seconds; ++samples) {
    const double sample = runner.seconds(runner.calls);
    best = samples == 0 ? sample : std::min(best, sample);
    spent += sample;
  }
  return best / static_cast<double>(runner.calls);
}

} // namespace

void check(const Case& row) {
  const std::vector<double> expected = row.reference();
  require_close("kolam", poisoned_result(row.checked ? row.checked : row.ours), expected,
                row.tolerance);
  for (const Peer& peer : row.peers)
    if (peer.result)
      require_close(peer.name, peer.result(), expected, row.tolerance);
}

Measured measure(const Case& row, const Effort& effort) {
  if (row.reference)
    check(row);
  std::vector<Runner> runners;
  runners.push_back({row.seconds ? row.seconds : [&row](int64_t calls) {
    return time_calls([&row] { row.ours(); }, calls);
  }});
  for (const Peer& peer : row.peers)
    runners.push_back({peer.seconds});
  for (Runner& runner : runners)
    if (runner.seconds)
      prepare(runner);
  for (int round = 0; round < effort.rounds; ++round)
    for (Runner& runner : runners)
      if (runner.seconds)
        runner.rounds.push_back(take_turn(runner, effort.seconds_a_turn));
  Measured measured{.ours = runners[0].rounds, .peers = {}};
  for (size_t i = 1; i < runners.size(); ++i)
    measured.peers.push_back(runners[i].rounds);
  return measured;
}

Peer peer(std::string name, Array output, std::function<void()> call) {
  Peer made = peer(std::move(name), call);
  made.result = [output, call]() mutable {
    poison(output);
    call();
    return to_doubles(output);
  };
  return made;
}

Peer peer(std::string name, std::function<void()> call) {
  return {.name = std::move(name),
          .seconds = [call](int64_t calls) { return time_calls(call, calls); }};
}

Peer not_available(std::string name) { return {.name = std::move(name)}; }

Peer limit(std::string name, double seconds) {
  return {.name = std::move(name),
          .seconds = [seconds](int64_t calls) { return seconds * static_cast<double>(calls); }};
}

double time_calls(const std::function<void()>& call, int64_t calls) {
  static const clockid_t clock = std::getenv(kCpuTime) ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  auto now = [] {
    timespec time = {};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  for (int64_t i = 0; i < calls; ++i)
    call();
  return now() - start;
}

} // namespace kolam::bench
