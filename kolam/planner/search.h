/// Finds a plan.
#pragma once

#include "kolam/planner/choose.h"

#include <functional>

namespace kolam::planner {

struct SearchOptions {
  int64_t workers = 1;
  int64_t memory_per_worker = 0;             ///< bytes; 0: no limit
  std::string objective = "time";            ///< an entry of Plan::cost
  std::map<std::string, double> limits = {}; ///< of entries of Plan::cost
  Allow allow = Allow::exact;
  uint64_t seed = 0;
  double seconds = 10;
  int64_t steps = -1; ///< of the search; -1: as many as `seconds` allow
  bool keeps_results = false;
  /// Choices that are taken before the search, as texts (rewrite/choice.h).
  std::vector<std::string> choices = {};
  bool tries_choices = true; ///< the search takes others where plans are better then
};

/// A plan that was looked at, and what became of it.
struct Alternative {
  std::string what; ///< `stage 1 (contract): 2 along i0`
  std::map<std::string, double> cost;
  std::string why_not; ///< empty of what was chosen
};

struct Found {
  plans::Plan plan;
  std::vector<Alternative> alternatives;
  std::vector<std::map<std::string, double>> front; ///< costs that no other is below in all entries
};

/// The best plan found: grids by `choose_grids` for several weights of time, bytes and memory, over
/// programs that choices give (variants.h), and which values are kept, one changed at a time.
/// Throws `[plan-limit]`, naming the stage that holds most and its bytes, where no plan meets the
/// limits; `[not-cut]` of programs that can't be cut where more than one worker is asked for;
/// `[plan-choice]` where `choices` name what does not apply.
Found find_plan(mlir::func::FuncOp main, const plans::Machine& machine,
                const SearchOptions& options);

/// A plan whose stages are cut at random, for tests: steps that keep every bit are taken, random
/// values are kept, boxes are uneven.
plans::Plan random_plan(mlir::func::FuncOp main, int64_t workers, Allow allow, uint64_t seed);

} // namespace kolam::planner
