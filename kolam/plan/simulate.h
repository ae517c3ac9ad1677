/// Plans on a machine, event by event: when tasks and transfers would run, and what they would
/// hold.
#pragma once

#include <vector>

#include "kolam/plan/machine.h"
#include "kolam/plan/plan.h"

namespace kolam::plans {

/// A task or a transfer in time.
struct Span {
  int64_t worker = 0;        ///< of a transfer where it arrives
  double start = 0, end = 0; ///< seconds
  int64_t family = 0;        ///< its number in Plan::tasks, or in Plan::moves
  bool is_move = false;
  friend bool operator==(const Span&, const Span&) = default;
};

struct Simulated {
  double time = 0;                  ///< seconds until all is done
  std::vector<double> busy;         ///< seconds of tasks, by worker
  std::vector<int64_t> bytes_in;    ///< that arrive by transfers, by worker
  std::vector<int64_t> peak_memory; ///< bytes, by worker
  std::vector<Span> timeline;       ///< by start, without loads; where it is asked for
};

enum class Timeline : uint8_t { left_out, kept };

/// Runs a plan on a machine:
///
/// - Each worker runs its tasks in the order of positions, one at a time. A task starts when its
///   reads are there and takes task_overhead + max(flops / flops a second, bytes /
///   memory_bandwidth).
/// - A transfer starts when its box is there and both ports are free, that out of its worker and
///   that into the other one, of the level that links the two. It holds them for bytes / bandwidth,
///   and arrives `latency` later. Of those that wait the one with the least position starts.
/// - A load takes no time; it comes when the tasks before it on its worker have started.
/// - Memory is taken at the start and freed when the last reader ends (plan/blocks.h); what does
/// not
///   fit below the plan's limit, or the machine's, waits. Where memory is scarce a worker's starts
///   follow positions: before its turn one starts only where its bytes fit beside the most that the
///   order of positions needs. So a plan that fits in that order never blocks itself.
///
/// Throws the breaks of the plan's structure; `[plan-stuck]` where a read is not made earlier, or
/// memory never suffices; `[bad-machine]` for a machine that is none or has fewer workers.
Simulated simulate(const Plan& plan, const Machine& machine,
                   Timeline timeline = Timeline::left_out);

} // namespace kolam::plans
