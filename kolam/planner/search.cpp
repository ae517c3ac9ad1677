// Searches plans.
#include "kolam/planner/search.h"

#include "kolam/planner/cost.h"
#include "kolam/planner/replay.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace kolam::planner {
namespace {

using mlir::Value;
using plans::Plan;
using Stored = llvm::DenseSet<Value>;
using Costs = std::map<std::string, double>;

class Search {
public:
  Search(mlir::func::FuncOp main, const plans::Machine& machine, const SearchOptions& options)
      : main_(main), machine_(machine), options_(options), random_(options.seed) {
    machine_.workers = options.workers;
    if (options.memory_per_worker > 0)
      options_.limits["peak_memory"] = static_cast<double>(options.memory_per_worker);
  }

  Found find() {
    Stored stored = usual_stored(main_, parts_);
    try_all_weights(stored);
    for (int64_t step = 0; may_go_on(step); ++step) {
      Stored changed = stored;
      if (!change(changed))
        break;
      const double before = best_value_;
      try_all_weights(changed);
      if (best_value_ < before)
        stored = std::move(changed);
    }
    if (!best_)
      fail_limits();
    found_.plan = std::move(*best_);
    return std::move(found_);
  }

private:
  /// Of neighbours with the quickest links, where others have slower ones; else 1.
  int64_t group() const { return machine_.levels.size() > 1 ? machine_.levels.front().group : 1; }

  bool may_go_on(int64_t step) const {
    if (options_.steps >= 0)
      return step < options_.steps;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    return taken.count() < options_.seconds * kSearchShare && step < kMostSteps;
  }

  /// Keeps a value that was computed anew, or computes anew one that was kept.
  bool change(Stored& stored) {
    std::vector<Value> values;
    mlir::Block& block = main_.getBody().front();
    for (mlir::Operation& op : block.without_terminator())
      if (op.getNumResults() == 1 && !parts_.signature(&op).opaque &&
          !llvm::is_contained(block.getTerminator()->getOperands(), op.getResult(0)))
        values.push_back(op.getResult(0));
    if (values.empty())
      return false;
    const Value value =
        values[std::uniform_int_distribution<size_t>(0, values.size() - 1)(random_)];
    if (!stored.erase(value))
      stored.insert(value);
    return true;
  }

  std::vector<Weights> weights() const {
    Weights usual{.time = 1, .bytes = 0, .memory = 0};
    if (options_.objective == "bytes_in")
      usual = {.time = 1e-6, .bytes = 1e-9, .memory = 0};
    if (options_.objective == "peak_memory")
      usual = {.time = 1e-6, .bytes = 0, .memory = 1e-9};
    std::vector<Weights> all{usual};
    if (!options_.limits.empty())
      for (double memory : {1e-12, 1e-10, 1e-8}) { // seconds a byte
        all.push_back(usual);
        all.back().memory = memory;
        all.back().bytes += options_.limits.contains("bytes_in") ? memory : 0;
      }
    return all;
  }

  void try_all_weights(const Stored& stored) {
    const std::vector<Stage> stages = stages_of(main_, stored, parts_);
    std::vector<std::vector<Grid>> seen;
    const bool is_limited = options_.limits.contains("peak_memory");
    for (int64_t rounds :
         is_limited ? std::vector<int64_t>{1, kUsualRounds, 64} : std::vector<int64_t>{1}) {
      if (rounds > kUsualRounds && best_)
        return; // many rounds are dear, and for what has no other plan
      for (const Weights& weights : weights()) {
        Chosen chosen = choose_grids(stages, parts_, machine_, rounds, options_.allow, weights);
        if (std::ranges::find(seen, chosen.grids) != seen.end())
          continue;
        seen.push_back(chosen.grids);
        look_at(stages, chosen.grids);
      }
    }
  }

  void look_at(const std::vector<Stage>& stages, const std::vector<Grid>& grids) {
    std::vector<StageCut> cuts;
    for (size_t stage = 0; stage < stages.size(); ++stage)
      cuts.push_back(cut_by(stages[stage], grids[stage], parts_));
    if (!look_at(stages, grids, cuts, group()))
      look_at(stages, grids, cuts, 0);
  }

  /// Boxes are passed on by `group`. False where the plan has too much memory: what is passed on is
  /// kept for longer.
  bool look_at(const std::vector<Stage>& stages, const std::vector<Grid>& grids,
               const std::vector<StageCut>& cuts, int64_t group) {
    Plan plan = make_plan(main_, stages, cuts,
                          {.workers = options_.workers,
                           .memory_per_worker = options_.memory_per_worker,
                           .keeps_results = options_.keeps_results,
                           .group = group},
                          parts_);
    plan.cost = predicted_cost(plan, machine_);
    for (size_t stage = 0; stage < stages.size(); ++stage)
      plan.trace.push_back({.name = "cut",
                            .stage = name_of(stages[stage].root),
                            .parameters = {{"grid", to_string(stages[stage], grids[stage])},
                                           {"op", number_of(stages[stage].root)}},
                            .exact = options_.allow == Allow::exact});
    if (group > 0)
      plan.trace.push_back({.name = "spread",
                            .stage = "transfers",
                            .parameters = {{"group", std::to_string(group)}}});
    const auto memory = options_.limits.find("peak_memory");
    const bool fits =
        memory == options_.limits.end() || plan.cost.at("peak_memory") <= memory->second;
    judge(std::move(plan));
    if (options_.progress)
      options_.progress(static_cast<int64_t>(found_.alternatives.size()), best_value_);
    return fits;
  }

  void judge(Plan plan) {
    Alternative own{.what = {}, .cost = plan.cost, .why_not = {}};
    for (const plans::Choice& choice : plan.trace)
      if (auto grid = choice.parameters.find("grid"); grid != choice.parameters.end())
        own.what += (own.what.empty() ? "" : "; ") + choice.stage + ": " + grid->second;
    note_front(plan.cost);
    for (const auto& [entry, limit] : options_.limits)
      if (plan.cost.at(entry) > limit) {
        own.why_not =
            entry + " " + number(plan.cost.at(entry)) + " is above the limit " + number(limit);
        least_broken_ = std::min(least_broken_, plan.cost.at(entry) / limit);
        nearest_ = least_broken_ == plan.cost.at(entry) / limit ? own : nearest_;
      }
    const double value = plan.cost.at(options_.objective);
    if (own.why_not.empty() && value >= best_value_)
      own.why_not =
          options_.objective + " " + number(value) + " is not below " + number(best_value_);
    if (own.why_not.empty()) {
      if (best_)
        found_.alternatives[chosen_].why_not =
            options_.objective + " " + number(best_value_) + " is not below " + number(value);
      chosen_ = found_.alternatives.size();
      best_value_ = value;
      best_ = std::move(plan);
    }
    found_.alternatives.push_back(std::move(own));
  }

  void note_front(const Costs& cost) {
    auto is_below = [](const Costs& one, const Costs& other) {
      return std::ranges::all_of(
          one, [&](const auto& entry) { return entry.second <= other.at(entry.first); });
    };
    for (const Costs& known : found_.front)
      if (is_below(known, cost))
        return;
    std::erase_if(found_.front, [&](const Costs& known) { return is_below(cost, known); });
    found_.front.push_back(cost);
  }

  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
  }

  [[noreturn]] void fail_limits() const {
    fail(ErrorKind::value, "plan-limit",
         "expected a plan within the limits, but the nearest one has " + nearest_.why_not + " (" +
             nearest_.what + ")");
  }

  /// Assumed: the rest of the time goes to what follows the search.
  static constexpr double kSearchShare = 0.5;
  /// Bound: pieces of a worker, one after the other, that are tried where memory is limited.
  static constexpr int64_t kUsualRounds = 8;
  /// Bound of steps where time decides.
  static constexpr int64_t kMostSteps = 200;

  mlir::func::FuncOp main_;
  plans::Machine machine_;
  SearchOptions options_;
  transform::Cuts parts_;
  std::mt19937_64 random_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Found found_;
  std::optional<Plan> best_;
  double best_value_ = HUGE_VAL, least_broken_ = HUGE_VAL;
  size_t chosen_ = 0;
  Alternative nearest_;
};

} // namespace

Found find_plan(mlir::func::FuncOp main, const plans::Machine& machine,
                const SearchOptions& options) {
  const std::string why = transform::why_not_cut(main);
  if (why.empty())
    return Search(main, machine, options).find();
  fail(ErrorKind::value, "not-cut", "expected a program that can be cut, but " + why);
}

namespace {

/// Cuts a box at random places, dim by dim, into at most `most` boxes.
void cut_randomly(const space::Box& box, const std::vector<bool>& dims, int64_t most,
                  std::mt19937_64& random, std::vector<space::Box>& pieces) {
  std::vector<int> able;
  for (int dim = 0; dim < box.rank(); ++dim)
    if (dims[static_cast<size_t>(dim)] && box.extent(dim) > 1)
      able.push_back(dim);
  if (most <= 1 || able.empty()) {
    pieces.push_back(box);
    return;
  }
  const int dim = able[std::uniform_int_distribution<size_t>(0, able.size() - 1)(random)];
  const int64_t start = box.start()[static_cast<size_t>(dim)];
  const int64_t middle =
      start + std::uniform_int_distribution<int64_t>(1, box.extent(dim) - 1)(random);
  const int64_t left = std::uniform_int_distribution<int64_t>(1, most - 1)(random);
  cut_randomly(space::with_range(box, dim, start, middle), dims, left, random, pieces);
  cut_randomly(space::with_range(box, dim, middle, box.end()[static_cast<size_t>(dim)]), dims,
               most - left, random, pieces);
}

StageCut random_cut(const Stage& stage, transform::Cuts& parts, int64_t workers,
                    std::mt19937_64& random) {
  std::vector<bool> dims = parts.cut_dims(stage.root);
  for (size_t dim = 0; dim < dims.size(); ++dim)
    dims[dim] = dims[dim] && stage.signature.dims[dim].kind == space::DimKind::map;
  std::vector<space::Box> pieces;
  cut_randomly(space::index_box(stage.signature), dims,
               std::uniform_int_distribution<int64_t>(1, 5)(random), random, pieces);
  std::vector<space::Box> all;
  const int64_t runs = std::uniform_int_distribution<int64_t>(1, 4)(random);
  std::uniform_int_distribution<int64_t> any_worker(0, workers - 1);
  for (const space::Box& piece : pieces) {
    std::vector<space::Box> parts_of_sums;
    if (runs > 1 && stage.summed_dim >= 0 && stage.root->getNumResults() == 1)
      parts_of_sums = exact_runs(stage, piece, runs);
    if (parts_of_sums.empty())
      parts_of_sums = {piece};
    all.insert(all.end(), parts_of_sums.begin(), parts_of_sums.end());
  }
  StageCut cut;
  for (const space::Box& box : all)
    cut.pieces.push_back({box, any_worker(random)});
  cut = fitted(stage, std::move(cut), parts);
  if (cut.pieces.empty())
    cut.pieces = {{space::index_box(stage.signature), any_worker(random)}};
  return cut;
}

} // namespace

Plan random_plan(mlir::func::FuncOp main, int64_t workers, Allow, uint64_t seed) {
  std::mt19937_64 random(seed);
  transform::Cuts parts;
  Stored stored = usual_stored(main, parts);
  for (mlir::Operation& op : main.getBody().front().without_terminator()) {
    if (op.getNumResults() != 1 || std::uniform_int_distribution<int>(0, 3)(random) != 0)
      continue;
    stored.insert(op.getResult(0));
  }
  const std::vector<Stage> stages = stages_of(main, stored, parts);
  std::vector<StageCut> cuts;
  for (const Stage& stage : stages)
    cuts.push_back(random_cut(stage, parts, workers, random));
  const auto group = static_cast<int64_t>(seed % 3); // none, a tree, pairs of near workers
  Plan plan = make_plan(main, stages, cuts, {.workers = workers, .group = group}, parts);
  for (const Stage& stage : stages)
    plan.trace.push_back({.name = "cut",
                          .stage = name_of(stage.root),
                          .parameters = {{"grid", "at random"}, {"op", number_of(stage.root)}}});
  if (group > 0)
    plan.trace.push_back(
        {.name = "spread", .stage = "transfers", .parameters = {{"group", std::to_string(group)}}});
  return plan;
}

} // namespace kolam::planner
