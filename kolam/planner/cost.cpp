// Predicts what plans cost.
#include "kolam/planner/cost.h"

#include "kolam/plan/expand.h"

#include <algorithm>
#include <set>

namespace kolam::planner {
namespace {

using plans::Event;
using plans::Plan;
using plans::Work;
using space::Box;

/// A box that a worker holds, from the event that brings it to the last one that reads it.
struct Held {
  int64_t bytes = 0;
  int64_t tensor = 0;
  Box box;
  size_t first = 0, last = 0;
};

/// What a worker receives before it can go on: latencies pass at once.
struct Waiting {
  double seconds = 0, latency = 0;
  double all() const { return seconds + latency; }
};

class Predictor {
public:
  Predictor(const Plan& plan, const plans::Machine& machine)
      : plan_(plan), machine_(machine), events_(plans::expand(plan)),
        held_(static_cast<size_t>(plan.workers)) {}

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
    std::map<int64_t, Waiting> receive;
    int64_t stage = -1;
    auto finish_stage = [&] {
      double slowest = 0;
      for (const auto& [worker, seconds] : compute)
        slowest = std::max(slowest, seconds + receive[worker].all());
      for (const auto& [worker, wait] : receive)
        slowest = std::max(slowest, wait.all());
      time_ += slowest;
      compute.clear();
      receive.clear();
    };
    std::map<int64_t, Waiting> waiting; // transfers in front of the next task
    for (const Event& event : events_) {
      if (event.is_move) {
        const plans::Moves& moves = plan_.moves[static_cast<size_t>(event.family)];
        const int64_t bytes =
            plans::block_bytes(plan_.tensors[static_cast<size_t>(moves.tensor)], event.reads[0]);
        received_[event.worker] += bytes;
        const plans::Level& level =
            machine_.levels[plans::level_between(machine_, event.from, event.worker)];
        Waiting& wait = waiting[event.worker];
        wait.seconds += static_cast<double>(bytes) / level.bandwidth;
        wait.latency = std::max(wait.latency, level.latency);
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
      for (const auto& [worker, wait] : waiting) {
        receive[worker].seconds += wait.seconds;
        receive[worker].latency = std::max(receive[worker].latency, wait.latency);
      }
      waiting.clear();
    }
    finish_stage();
  }

  double seconds_of(const plans::Piece& piece) const {
    const double flops = machine_.flops > 0 ? piece.flops / machine_.flops : 0;
    const double memory =
        machine_.memory_bandwidth > 0 ? piece.bytes / machine_.memory_bandwidth : 0;
    return machine_.task_overhead + std::max(flops, memory);
  }

  void hold(const Event& event, int64_t worker, int64_t tensor, const Box& box, size_t at) {
    const plans::Tensor& own = plan_.tensors[static_cast<size_t>(tensor)];
    const bool stays = plan_.keeps_results && !own.results.empty() && own.argument < 0;
    held_[static_cast<size_t>(worker)][tensor].push_back(
        {plans::block_bytes(own, box), tensor, box, at, stays ? events_.size() : at});
  }

  /// Notes that boxes that meet `box` at a worker are read at event `at`.
  void use(int64_t worker, int64_t tensor, const Box& box, size_t at) {
    for (Held& held : held_[static_cast<size_t>(worker)][tensor])
      if (!space::is_empty(space::intersect(held.box, box)))
        held.last = std::max(held.last, at);
  }

  int64_t peak_memory() {
    for (size_t at = 0; at < events_.size(); ++at) {
      const Event& event = events_[at];
      if (event.is_move) {
        const int64_t tensor = plan_.moves[static_cast<size_t>(event.family)].tensor;
        use(event.from, tensor, event.reads[0], at);
        hold(event, event.worker, tensor, event.reads[0], at);
        continue;
      }
      const plans::Stage& stage = stage_of(event);
      const bool is_merge = stage.work == Work::merge;
      for (size_t read = 0; read < event.reads.size(); ++read)
        use(event.worker, stage.tensors[is_merge ? 0 : read], event.reads[read], at);
      for (size_t write = 0; write < event.writes.size(); ++write)
        hold(event, event.worker,
             stage.tensors[is_merge ? 1 : stage.tensors.size() - event.writes.size() + write],
             event.writes[write], at);
    }
    int64_t peak = 0;
    for (const auto& by_tensor : held_) {
      std::vector<std::pair<size_t, int64_t>> changes;
      for (const auto& [tensor, all] : by_tensor)
        for (const Held& held : all) {
          changes.emplace_back(2 * held.first, held.bytes);
          changes.emplace_back(2 * held.last + 1, -held.bytes);
        }
      std::ranges::sort(changes);
      int64_t now = 0;
      for (const auto& [at, bytes] : changes)
        peak = std::max(peak, now += bytes);
    }
    return peak;
  }

  const Plan& plan_;
  const plans::Machine& machine_;
  std::vector<Event> events_;
  std::vector<std::map<int64_t, std::vector<Held>>> held_; ///< by worker and tensor
  double time_ = 0, work_ = 0;
  std::set<int64_t> busy_;
  std::map<int64_t, int64_t> received_;
};

} // namespace

std::map<std::string, double> predicted_cost(const Plan& plan, const plans::Machine& machine) {
  return Predictor(plan, machine).predict();
}

} // namespace kolam::planner
