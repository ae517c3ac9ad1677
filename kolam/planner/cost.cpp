// Predicts what plans cost.
#include "kolam/planner/cost.h"

#include "kolam/plan/blocks.h"

#include <algorithm>
#include <set>

namespace kolam::planner {
namespace {

using plans::Event;
using plans::Plan;
using plans::Work;

/// What a worker receives, or sends, before it can go on: by level, as each has a port of its own;
/// latencies pass at once.
struct Waiting {
  std::map<size_t, double> seconds; ///< by level
  double latency = 0;
  double all() const {
    double longest = 0;
    for (const auto& [level, own] : seconds)
      longest = std::max(longest, own);
    return longest + latency;
  }
  void add(const Waiting& other) {
    for (const auto& [level, own] : other.seconds)
      seconds[level] += own;
    latency = std::max(latency, other.latency);
  }
};

class Predictor {
public:
  Predictor(const Plan& plan, const plans::Machine& machine)
      : plan_(plan), machine_(machine), events_(plans::expand(plan)) {}

  std::map<std::string, double> predict() {
    std::map<std::string, double> cost = plan_.cost;
    times();
    cost["time"] = time_;
    cost["work"] = work_;
    cost["workers"] = static_cast<double>(busy_.size());
    cost["bytes_in"] = static_cast<double>(most(received_));
    cost["peak_memory"] = static_cast<double>(peak_memory());
    return cost;
  }

private:
  static int64_t most(const std::map<int64_t, int64_t>& by_worker) {
    int64_t most = 0;
    for (const auto& [worker, bytes] : by_worker)
      most = std::max(most, bytes);
    return most;
  }

  const plans::Piece& piece_of(const Event& event) const {
    return plan_.pieces[static_cast<size_t>(plan_.tasks[static_cast<size_t>(event.family)].piece)];
  }
  const plans::Stage& stage_of(const Event& event) const {
    return plan_.stages[static_cast<size_t>(piece_of(event).stage)];
  }

  /// Transfers count for the stage of the task behind them.
  void times() {
    std::map<int64_t, double> compute;
    std::map<int64_t, Waiting> receive, send;
    int64_t stage = -1;
    auto finish_stage = [&] {
      double slowest = 0;
      for (const auto& [worker, seconds] : compute)
        slowest = std::max(slowest, seconds + receive[worker].all());
      for (const auto* waits : {&receive, &send})
        for (const auto& [worker, wait] : *waits)
          slowest = std::max(slowest, wait.all());
      time_ += slowest;
      compute.clear();
      receive.clear();
      send.clear();
    };
    std::map<int64_t, Waiting> waiting, sending; // transfers in front of the next task
    for (const Event& event : events_) {
      if (event.is_move) {
        const plans::Moves& moves = plan_.moves[static_cast<size_t>(event.family)];
        const int64_t bytes =
            plans::block_bytes(plan_.tensors[static_cast<size_t>(moves.tensor)], event.reads[0]);
        received_[event.worker] += bytes;
        const size_t level = plans::level_between(machine_, event.from, event.worker);
        const double seconds = static_cast<double>(bytes) / machine_.levels[level].bandwidth;
        waiting[event.worker].seconds[level] += seconds;
        sending[event.from].seconds[level] += seconds;
        double& latency = waiting[event.worker].latency;
        latency = std::max(latency, machine_.levels[level].latency);
        continue;
      }
      const plans::Piece& piece = piece_of(event);
      if (stage_of(event).work == Work::load)
        continue;
      if (piece.stage != stage) {
        finish_stage();
        stage = piece.stage;
      }
      const double seconds = seconds_of(piece);
      compute[event.worker] += seconds;
      work_ += seconds;
      busy_.insert(event.worker);
      for (const auto& [worker, wait] : waiting)
        receive[worker].add(wait);
      for (const auto& [worker, wait] : sending)
        send[worker].add(wait);
      waiting.clear();
      sending.clear();
    }
    finish_stage();
  }

  double seconds_of(const plans::Piece& piece) const {
    const double flops = machine_.flops > 0 ? piece.flops / machine_.flops : 0;
    const double memory =
        machine_.memory_bandwidth > 0 ? piece.bytes / machine_.memory_bandwidth : 0;
    return machine_.task_overhead + std::max(flops, memory);
  }

  int64_t peak_memory() const {
    int64_t most = 0;
    for (const plans::Peak& peak :
         plans::peaks_in_order(plan_, events_, plans::find_blocks(plan_, events_)))
      most = std::max(most, peak.bytes);
    return most;
  }

  const Plan& plan_;
  const plans::Machine& machine_;
  std::vector<Event> events_;
  double time_ = 0, work_ = 0;
  std::set<int64_t> busy_;
  std::map<int64_t, int64_t> received_;
};

} // namespace

std::map<std::string, double> predicted_cost(const Plan& plan, const plans::Machine& machine) {
  return Predictor(plan, machine).predict();
}

} // namespace kolam::planner
