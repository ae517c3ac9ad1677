// Searches plans.
#include "kolam/planner/search.h"

#include "kolam/planner/cost.h"
#include "kolam/planner/replay.h"
#include "kolam/planner/rewritten.h"
#include "kolam/planner/variants.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <set>

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
    std::shared_ptr<Variant> variant =
        variant_of(main_, options_.choices, options_.workers, keeps());
    const double before_all = taken();
    try_all_weights(variant);
    pricing_ = taken() - before_all;
    try_waists(variant);
    if (may_price(*variant)) {
      const size_t usual = variant->stored.size();
      const double total = least_total(*variant);
      if (variant->stored.size() != usual)
        try_all_weights(variant);
      if (options_.tries_choices && transform::why_no_choices(main_).empty())
        variant = best_variant(std::move(variant), total);
    }
    for (int64_t step = 0; may_go_on(step); ++step) {
      Stored changed = variant->stored;
      if (!change(*variant, changed))
        break;
      std::swap(variant->stored, changed);
      const double before = best_value_;
      try_all_weights(variant);
      if (best_value_ >= before)
        std::swap(variant->stored, changed);
    }
    if (!best_)
      fail_limits();
    refine();
    found_.plan = with_code();
    return std::move(found_);
  }

private:
  struct Priced {
    double total = 0; ///< of its best grids
    size_t number = 0;
    std::shared_ptr<Variant> variant;
  };

  rewrite::Keeps keeps() const {
    return options_.allow == Allow::exact ? rewrite::Keeps::exact : rewrite::Keeps::reassociates;
  }

  double taken() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// Whether there is a share of the time left for what takes `seconds`.
  bool has_time(double share, double seconds = 0) const {
    return taken() + seconds < options_.seconds * kSearchShare * share;
  }
  /// Of neighbours with the quickest links, where others have slower ones; else 1.
  int64_t group() const { return machine_.levels.size() > 1 ? machine_.levels.front().group : 1; }

  bool may_go_on(int64_t step) const {
    if (options_.steps >= 0)
      return step < options_.steps;
    return has_time(1) && step < kMostSteps;
  }

  /// Follows choices from the program on: of all that one more step gives, the few whose grids cost
  /// least are looked at and followed. A step that costs more may be the first of two that cost
  /// less. Gives the variant that the best plan is of; `least` is the total of the first one.
  std::shared_ptr<Variant> best_variant(std::shared_ptr<Variant> first, double least) {
    std::set<std::string> seen{first->text};
    std::vector<std::shared_ptr<Variant>> open{first};
    bool has_budget = true;
    for (int level = 0, in_vain = 0; // levels
         level < kMostChoices && in_vain < kMostInVain && has_budget && !open.empty(); ++level) {
      std::vector<Priced> next;
      for (const std::shared_ptr<Variant>& variant : open)
        has_budget = has_budget && add_priced(*variant, seen, next);
      std::ranges::sort(next, [](const Priced& x, const Priced& y) {
        return std::pair(x.total, x.number) < std::pair(y.total, y.number);
      });
      next.resize(std::min(next.size(), kFollowed));
      in_vain = !next.empty() && next[0].total < least ? 0 : in_vain + 1;
      least = next.empty() ? least : std::min(least, next[0].total);
      open.clear();
      for (auto& [total, number, variant] : next) {
        const double before = best_value_;
        try_all_weights(variant);
        if (best_value_ < before)
          first = variant;
        open.push_back(std::move(variant));
      }
    }
    return first;
  }

  /// Prices the programs that one more step gives; false where that is enough.
  bool add_priced(const Variant& variant, std::set<std::string>& seen, std::vector<Priced>& next) {
    for (std::shared_ptr<Variant>& one :
         next_variants(variant, options_.workers, keeps(), kMostVariants)) {
      if (!may_price(*one))
        return false;
      if (!seen.insert(one->text).second)
        continue;
      find_values(*one);
      next.push_back({least_total(*one), next.size(), std::move(one)});
    }
    return true;
  }

  /// Whether one more program may be priced, which takes as long as the one before.
  bool may_price(const Variant& variant) {
    if (options_.steps < 0)
      return has_time(kChoicesShare, pricing_);
    mlir::func::FuncOp main = variant.main;
    const auto ops = static_cast<int64_t>(main.getBody().front().getOperations().size());
    priced_ += ops + ops * options_.workers / kWorkersOfAnOp;
    return priced_ <= kMostPriced;
  }

  /// Of the best grids, with the usual values kept or with all that are dear, whichever is less;
  /// these stay.
  double least_total(Variant& variant) {
    auto total = [&] {
      const std::vector<Stage> stages = stages_of(variant.main, variant.stored, *variant.parts);
      const Weights usual = weights()[0];
      return choose_grids(stages, *variant.parts, machine_, 1, options_.allow, {&usual, 1})[0]
          .total;
    };
    const double before = taken();
    const double usual = total();
    double least = usual;
    if (variant.dear.size() != variant.stored.size()) {
      std::swap(variant.stored, variant.dear);
      least = std::min(usual, total());
      if (least >= usual)
        std::swap(variant.stored, variant.dear);
    }
    pricing_ = taken() - before;
    return least;
  }

  /// Tries other grids for one stage after the other, where plans are small: `choose_grids` adds up
  /// what stages and pairs of them cost, a plan's cost counts how they meet.
  void refine() {
    const Best first = *best_;
    const std::vector<Stage> stages =
        stages_of(first.variant->main, first.stored, *first.variant->parts);
    if (static_cast<int64_t>(stages.size()) * options_.workers > kMostRefined)
      return;
    std::vector<std::vector<Grid>> others;
    for (const Stage& stage : stages)
      others.push_back(grids_for(stage, *first.variant->parts));
    for (double before = HUGE_VAL; best_value_ < before;) {
      before = best_value_;
      for (size_t stage = 0; stage < stages.size(); ++stage)
        for (const Grid& grid : others[stage]) {
          if (options_.steps < 0 && !has_time(1))
            return;
          std::vector<Grid> grids = best_->grids;
          grids[stage] = grid;
          if (judge(plan_of(*first.variant, stages, grids, false, first.group), Tells::if_better))
            best_->grids = std::move(grids);
        }
    }
  }

  /// For all workers, or, where time counts, fewer: on one nothing moves.
  std::vector<Grid> grids_for(const Stage& stage, transform::Cuts& parts) const {
    const bool takes_fewer = options_.objective == "time";
    std::vector<Grid> all;
    for (int64_t used = options_.workers; used >= (takes_fewer ? 1 : options_.workers); --used)
      for (Grid& grid : grids_of(stage, parts.cut_dims(stage.root), used, 1, options_.allow))
        if ((takes_fewer || grid.workers == options_.workers) &&
            std::ranges::find(all, grid) == all.end() && !cut_by(stage, grid, parts).pieces.empty())
          all.push_back(std::move(grid));
    return all;
  }

  /// Beside what is surely kept, every k-th of the values through which all goes, for some k: so
  /// that of steps that read halos several run together. From the deepest halos on, as long as
  /// others make plans better.
  void try_waists(const std::shared_ptr<Variant>& variant) {
    const Stored usual = variant->stored;
    Stored best = usual;
    const std::vector<Value> waists = waists_of(variant->main, usual, *variant->parts);
    int in_vain = 0;
    for (size_t step : depths(waists.size())) {
      if ((options_.steps < 0 && !has_time(1)) || in_vain == kMostInVain)
        break;
      variant->stored = usual;
      for (size_t number = step; number <= waists.size(); number += step)
        variant->stored.insert(waists[number - 1]);
      const double before = best_value_;
      try_all_weights(variant);
      ++in_vain;
      if (best_value_ < before) {
        best = variant->stored;
        in_vain = 0;
      }
    }
    variant->stored = std::move(best);
  }

  /// ..., 16, 12, 8, 6, 4, 3, 2, 1
  static std::vector<size_t> depths(size_t most) {
    std::vector<size_t> all;
    for (size_t depth = 1; depth <= most; depth = depth < 3        ? depth + 1
                                                  : depth % 3 == 0 ? depth / 3 * 4
                                                                   : depth / 2 * 3)
      all.push_back(depth);
    std::ranges::reverse(all);
    return all;
  }

  /// Keeps a value that was computed anew, or computes anew one that was kept.
  bool change(Variant& variant, Stored& stored) {
    std::vector<Value> values;
    mlir::Block& block = variant.main.getBody().front();
    for (mlir::Operation& op : block.without_terminator())
      if (op.getNumResults() == 1 && transform::has_numbers(op.getResult(0)) &&
          !variant.parts->signature(&op).opaque &&
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

  void try_all_weights(const std::shared_ptr<Variant>& variant) {
    const std::vector<Stage> stages = stages_of(variant->main, variant->stored, *variant->parts);
    std::vector<std::vector<Grid>> seen;
    const bool is_limited = options_.limits.contains("peak_memory");
    for (int64_t rounds :
         is_limited ? std::vector<int64_t>{1, kUsualRounds, 64} : std::vector<int64_t>{1}) {
      if (rounds > kUsualRounds && best_)
        return; // many rounds are dear, and for what has no other plan
      for (const Chosen& chosen :
           choose_grids(stages, *variant->parts, machine_, rounds, options_.allow, weights())) {
        if (std::ranges::find(seen, chosen.grids) != seen.end())
          continue;
        seen.push_back(chosen.grids);
        if (!look_at(variant, stages, chosen.grids, group()))
          look_at(variant, stages, chosen.grids, 0);
      }
    }
  }

  /// Boxes are passed on by `group`. False where the plan has too much memory: what is passed on is
  /// kept for longer.
  bool look_at(const std::shared_ptr<Variant>& variant, const std::vector<Stage>& stages,
               const std::vector<Grid>& grids, int64_t group) {
    const Plan plan = plan_of(*variant, stages, grids, false, group);
    const auto memory = options_.limits.find("peak_memory");
    const bool fits =
        memory == options_.limits.end() || plan.cost.at("peak_memory") <= memory->second;
    if (judge(plan))
      best_ = Best{variant, variant->stored, grids, group};
    if (options_.progress)
      options_.progress(static_cast<int64_t>(found_.alternatives.size()), best_value_);
    return fits;
  }

  Plan plan_of(Variant& variant, const std::vector<Stage>& stages, const std::vector<Grid>& grids,
               bool has_code, int64_t group) {
    std::vector<StageCut> cuts;
    for (size_t stage = 0; stage < stages.size(); ++stage)
      cuts.push_back(cut_by(stages[stage], grids[stage], *variant.parts));
    Plan plan = make_plan(variant.main, stages, cuts,
                          {.workers = options_.workers,
                           .memory_per_worker = options_.memory_per_worker,
                           .keeps_results = options_.keeps_results,
                           .has_code = has_code,
                           .group = group},
                          *variant.parts);
    plan.cost = predicted_cost(plan, machine_);
    plan.trace = variant.trace;
    for (size_t stage = 0; stage < stages.size(); ++stage) {
      plan.trace.push_back(
          {.name = "cut",
           .stage = name_of(stages[stage].root),
           .parameters = {{"grid", grid_text(stages[stage], grids[stage], *variant.parts)},
                          {"op", number_of(stages[stage].root)}},
           .exact = options_.allow == Allow::exact});
      if (!has_code)
        continue;
      if (const std::string whole = whole_text(stages[stage], *variant.parts); !whole.empty())
        plan.trace.back().parameters["whole"] = whole;
    }
    if (group > 0)
      plan.trace.push_back({.name = "spread",
                            .stage = "transfers",
                            .parameters = {{"group", std::to_string(group)}}});
    return plan;
  }

  static std::string grid_text(const Stage& stage, const Grid& grid, transform::Cuts& parts) {
    const std::string why = parts.why_whole(stage.root);
    return to_string(stage, grid) + (why.empty() ? "" : ", as " + why);
  }

  /// Ops that each piece of a stage computes whole, and why.
  static std::string whole_text(const Stage& stage, transform::Cuts& parts) {
    std::map<std::string, std::string> ops; // by reason
    const llvm::DenseSet<Value> stored(stage.reads.begin(), stage.reads.end());
    for (mlir::Operation* op : transform::ops_of(parts, stage.root, stored))
      if (const std::string why = parts.why_whole(op); op != stage.root && !why.empty())
        ops[why] += (ops[why].empty() ? "" : ", ") + op->getName().stripDialect().str();
    std::string text;
    for (const auto& [why, names] : ops)
      text += (text.empty() ? "" : "; ") + names + ", as " + why;
    return text;
  }

  /// The best plan, with the text of its pieces, which others go without.
  Plan with_code() {
    const std::vector<Stage> stages =
        stages_of(best_->variant->main, best_->stored, *best_->variant->parts);
    return plan_of(*best_->variant, stages, best_->grids, true, best_->group);
  }

  enum class Tells : uint8_t { always, if_better };

  /// Whether the plan is the best one so far.
  bool judge(const Plan& plan, Tells tells = Tells::always) {
    Alternative own{.what = {}, .cost = plan.cost, .why_not = {}};
    for (const plans::Choice& choice : plan.trace)
      if (choice.name != "spread")
        own.what += (own.what.empty() ? "" : "; ") + choice.stage + ": " +
                    (is_cut(choice) ? choice.parameters.at("grid") : choice.name);
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
    const bool is_best = own.why_not.empty();
    if (is_best) {
      if (best_value_ < HUGE_VAL)
        found_.alternatives[chosen_].why_not =
            options_.objective + " " + number(best_value_) + " is not below " + number(value);
      chosen_ = found_.alternatives.size();
      best_value_ = value;
    }
    if (is_best || tells == Tells::always)
      found_.alternatives.push_back(std::move(own));
    return is_best;
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
  /// Assumed: of the search's time, what goes to choices.
  static constexpr double kChoicesShare = 0.5;
  /// Bounds of the choices that are taken one after the other, of those among them that made
  /// nothing better, of programs that follow one, and of those that are followed.
  static constexpr int kMostChoices = 6, kMostInVain = 2;
  /// Bound, where no time decides, of the ops of all programs that are priced; assumed: of so many
  /// workers an op takes twice as long.
  static constexpr int64_t kMostPriced = 2000, kWorkersOfAnOp = 64;
  static constexpr size_t kMostVariants = 32, kFollowed = 4;

  /// Bound of stages times workers.
  static constexpr int64_t kMostRefined = 24;

  /// What the best plan is of.
  struct Best {
    std::shared_ptr<Variant> variant;
    Stored stored;
    std::vector<Grid> grids;
    int64_t group = 0; ///< by which boxes are passed on
  };

  mlir::func::FuncOp main_;
  plans::Machine machine_;
  SearchOptions options_;
  std::mt19937_64 random_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Found found_;
  std::optional<Best> best_;
  double best_value_ = HUGE_VAL, least_broken_ = HUGE_VAL;
  size_t chosen_ = 0;
  int64_t priced_ = 0; ///< ops, in units of kMostPriced
  double pricing_ = 0; ///< seconds that the last program took
  Alternative nearest_;
};

} // namespace

Found find_plan(mlir::func::FuncOp main, const plans::Machine& machine,
                const SearchOptions& options) {
  const std::string why =
      options.choices.empty() ? transform::why_not_cut(main) : transform::why_no_choices(main);
  if (why.empty())
    return Search(main, machine, options).find();
  fail(ErrorKind::value, "not-cut", "expected a program that can be cut, but " + why);
}

} // namespace kolam::planner
