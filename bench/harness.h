/// Cases of the benchmark, and how one is measured beside its peers.
#pragma once

#include "bench/work.h"

#include "kolam/kolam.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kolam::bench {

/// The least seconds a call took, for each turn. Entry i of two runners was taken in one turn.
using Rounds = std::vector<double>;

/// Somebody else who does the work of a case, or a time to stay under.
struct Peer {
  std::string name;
  /// Seconds that so many calls take; missing where the peer is not available.
  std::function<double(int64_t calls)> seconds = {};
  /// What one call gives, into memory that was poisoned before; missing where there is nothing to
  /// check.
  std::function<std::vector<double>()> result = {};
  /// Whether the goal is a ratio to this one, should it be the fastest; others are only shown.
  bool judged = true;
};

/// One row of the table for one number of threads, with operands and peers made for it.
struct Case {
  Work work;
  /// The seconds of the fastest judged peer over ours that are to be reached on one thread.
  std::optional<double> goal;
  std::function<Array()> ours;
  /// What the result must be, computed in f64, and by how much of its greatest magnitude a result
  /// may differ. Missing where there is no result to check.
  std::function<std::vector<double>()> reference = {};
  double tolerance = 0;
  std::vector<Peer> peers = {};
  /// The call whose result is checked, where `ours` gives others in turn.
  std::function<Array()> checked = {};
  /// Seconds of so many calls, where these do not happen in this process; in place of `ours`.
  std::function<double(int64_t calls)> seconds = {};
};

/// A case by name, made when it is measured: operands of one case at a time are in memory.
struct Entry {
  std::string name;
  std::function<Case(int threads)> make;
  bool only_one_thread = false; ///< where threads make no difference
};
using Suite = std::vector<Entry>;

/// How much time is spent on a case.
struct Effort {
  int rounds = 7;                ///< turns of all runners, one after the other
  double seconds_a_turn = 0.025; ///< at least, and at least two samples
};

/// Times of one case, `peers` in the order of Case::peers and empty for one that is not available.
struct Measured {
  Rounds ours;
  std::vector<Rounds> peers;
};

/// Compares every output, made in poisoned memory, with the reference. Throws std::runtime_error
/// that names who is wrong, and where.
void check(const Case& row);

/// Checks, then measures ours and the peers in turns, so that all see the same noise of the
/// machine.
Measured measure(const Case& row, const Effort& effort);

/// A peer of this process that writes `output`.
Peer peer(std::string name, Array output, std::function<void()> call);
/// A peer without an output to check.
Peer peer(std::string name, std::function<void()> call);
/// One that is not installed here.
Peer not_available(std::string name);
/// A time to stay under.
Peer limit(std::string name, double seconds);

/// The variable of the environment that makes every time one of this process's CPUs: what others do
/// on a busy machine does not count. Means nothing on several threads.
inline constexpr const char* kCpuTime = "KOLAM_BENCH_CPU_TIME";

/// Seconds of `calls` calls.
double time_calls(const std::function<void()>& call, int64_t calls);

} // namespace kolam::bench
