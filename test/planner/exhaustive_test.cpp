// How near the search comes to the best plan: of small programs, all sequences of choices, all sets
// of kept values and all grids of even cuts are priced.
#include "kolam/driver/parse.h"
#include "kolam/planner/cost.h"
#include "kolam/planner/search.h"
#include "kolam/planner/variants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace kolam::planner {
namespace {

using Stored = llvm::DenseSet<mlir::Value>;
using Variants = std::vector<std::shared_ptr<Variant>>;

struct Case {
  std::string name;
  int64_t workers;
  std::string text;
};

plans::Machine machine_of(int64_t workers) {
  return {.workers = workers,
          .flops = 1e10,
          .memory_bandwidth = 1e10,
          .memory = int64_t{1} << 30,
          .levels = {{.group = 1024, .bandwidth = 2e9, .latency = 2e-6}},
          .task_overhead = 5e-6};
}

/// Every program that up to two choices give.
Variants all_variants(mlir::func::FuncOp main, int64_t workers, rewrite::Keeps keeps) {
  Variants all{variant_of(main, {}, workers, keeps)};
  std::set<std::string> seen{all[0]->text};
  size_t first = 0;
  for (int depth = 0; depth < 2; ++depth) {
    const size_t last = all.size();
    for (; first < last; ++first)
      for (std::shared_ptr<Variant>& next : next_variants(*all[first], workers, keeps, 1000))
        if (seen.insert(next->text).second) {
          find_values(*next);
          all.push_back(std::move(next));
        }
  }
  return all;
}

/// Grids of up to four even parts along each dim, for that many workers or fewer.
std::vector<Grid> all_grids(const Stage& stage, transform::Cuts& parts, int64_t workers,
                            Allow allow) {
  std::vector<Grid> grids;
  for (int64_t used = 1; used <= workers; ++used)
    for (Grid& grid : grids_of(stage, parts.cut_dims(stage.root), used, 1, allow)) {
      const bool is_even = !grid.counts.empty() &&
                           llvm::all_of(grid.counts, [](int64_t count) { return count <= 4; });
      if (is_even && !llvm::is_contained(grids, grid) && !cut_by(stage, grid, parts).pieces.empty())
        grids.push_back(std::move(grid));
    }
  return grids;
}

/// The least time over all of that.
class Exhaustive {
public:
  Exhaustive(const Case& own, Allow allow)
      : own_(own), allow_(allow), machine_(machine_of(own.workers)) {}

  double least(mlir::func::FuncOp main) {
    const auto keeps =
        allow_ == Allow::exact ? rewrite::Keeps::exact : rewrite::Keeps::reassociates;
    for (const std::shared_ptr<Variant>& variant : all_variants(main, own_.workers, keeps))
      for_each_stored(*variant);
    return least_;
  }
  int64_t plans() const { return plans_; }
  const std::string& best() const { return best_; }

private:
  static std::string described(const Variant& variant, const std::vector<Stage>& stages,
                               const std::vector<StageCut>& cuts) {
    std::string text;
    for (const plans::Choice& entry : variant.trace)
      text += entry.name + "; ";
    for (size_t stage = 0; stage < stages.size(); ++stage) {
      text += name_of(stages[stage].root) + ":";
      for (const Placed& piece : cuts[stage].pieces)
        text += " " + std::to_string(piece.worker) + space::to_string(piece.index);
      text += "; ";
    }
    return text;
  }

  void for_each_stored(Variant& variant) {
    std::vector<mlir::Value> values;
    Stored stored;
    mlir::Block& block = variant.main.getBody().front();
    for (mlir::Operation& op : block.without_terminator())
      for (mlir::OpResult result : op.getResults())
        if (llvm::is_contained(block.getTerminator()->getOperands(), result) ||
            op.getNumResults() > 1 || variant.parts->signature(&op).opaque)
          stored.insert(result);
        else if (variant.stored.contains(result) || op.getNumOperands() > 0)
          values.push_back(result);
    if (values.size() > kMostValues)
      return;
    std::set<std::vector<mlir::Operation*>> seen;
    for (uint64_t subset = 0; subset < uint64_t{1} << values.size(); ++subset) {
      Stored kept = stored;
      for (size_t value = 0; value < values.size(); ++value)
        if (subset >> value & 1)
          kept.insert(values[value]);
      const std::vector<Stage> stages = stages_of(variant.main, kept, *variant.parts);
      std::vector<mlir::Operation*> roots;
      for (const Stage& stage : stages)
        roots.push_back(stage.root);
      if (roots.size() <= kMostStages && seen.insert(roots).second)
        for_each_grids(variant, stages);
    }
  }

  void for_each_grids(Variant& variant, const std::vector<Stage>& stages) {
    std::vector<std::vector<StageCut>> options;
    for (const Stage& stage : stages) {
      options.emplace_back();
      for (const Grid& grid : all_grids(stage, *variant.parts, own_.workers, allow_))
        options.back().push_back(cut_by(stage, grid, *variant.parts));
    }
    std::vector<StageCut> cuts(stages.size());
    std::function<void(size_t)> choose = [&](size_t stage) {
      if (stage == stages.size()) {
        const plans::Plan plan =
            make_plan(variant.main, stages, cuts, {.workers = own_.workers, .has_code = false},
                      *variant.parts);
        ++plans_;
        const double time = predicted_cost(plan, machine_).at("time");
        if (time < least_) {
          least_ = time;
          best_ = described(variant, stages, cuts);
        }
        return;
      }
      for (const StageCut& cut : options[stage]) {
        cuts[stage] = cut;
        choose(stage + 1);
      }
    };
    choose(0);
  }

  /// Bounds of the enumeration: programs grow by choices.
  static constexpr size_t kMostStages = 4, kMostValues = 10;

  const Case& own_;
  Allow allow_;
  plans::Machine machine_;
  double least_ = HUGE_VAL;
  int64_t plans_ = 0;
  std::string best_;
};

const Case kCases[] = {
    {"two_layers", 4,
     R"(func.func @main(%x: tensor<256x96xf32>, %w: tensor<96x128xf32>, %v: tensor<128x64xf32>) -> tensor<256x64xf32> {
      %0 = kolam.contract "ik,kn->in" %x, %w <"chain<512>"> : (tensor<256x96xf32>, tensor<96x128xf32>) -> tensor<256x128xf32>
      %1 = kolam.elementwise "tanh" %0 : (tensor<256x128xf32>) -> tensor<256x128xf32>
      %2 = kolam.contract "ik,kn->in" %1, %v <"chain<512>"> : (tensor<256x128xf32>, tensor<128x64xf32>) -> tensor<256x64xf32>
      return %2 : tensor<256x64xf32>
    })"},
    {"six_ops", 2,
     R"(func.func @main(%x: tensor<128x96xf32>, %w: tensor<96x64xf32>, %b: tensor<64xf32>, %v: tensor<64x96xf32>) -> tensor<128x96xf32> {
      %0 = kolam.contract "ik,kn->in" %x, %w <"chain<512>"> : (tensor<128x96xf32>, tensor<96x64xf32>) -> tensor<128x64xf32>
      %1 = kolam.broadcast %b [1] : tensor<64xf32> -> tensor<128x64xf32>
      %2 = kolam.elementwise "add" %0, %1 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
      %3 = kolam.elementwise "tanh" %2 : (tensor<128x64xf32>) -> tensor<128x64xf32>
      %4 = kolam.contract "ik,kn->in" %3, %v <"chain<512>"> : (tensor<128x64xf32>, tensor<64x96xf32>) -> tensor<128x96xf32>
      %5 = kolam.elementwise "add" %4, %x : (tensor<128x96xf32>, tensor<128x96xf32>) -> tensor<128x96xf32>
      return %5 : tensor<128x96xf32>
    })"},
    {"three_products", 2,
     R"(func.func @main(%x: tensor<512x256xf32>, %y: tensor<256x300xf32>, %z: tensor<300x2xf32>) -> tensor<512x2xf32> {
      %0 = kolam.contract "mk,kn->mn" %x, %y <"chain<512>"> : (tensor<512x256xf32>, tensor<256x300xf32>) -> tensor<512x300xf32>
      %1 = kolam.contract "mk,kn->mn" %0, %z <"lanes<64>, chunk<4096>"> : (tensor<512x300xf32>, tensor<300x2xf32>) -> tensor<512x2xf32>
      %2 = kolam.elementwise "tanh" %1 : (tensor<512x2xf32>) -> tensor<512x2xf32>
      return %2 : tensor<512x2xf32>
    })"},
    {"two_stencils", 4,
     R"(func.func @main(%x: tensor<1x40000x1xf32>, %f: tensor<5x1x1xf32>) -> tensor<1x40000x1xf32> {
      %0 = kolam.convolution %x, %f <"lanes<64>, chunk<4096>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 2>, low = array<i64: 2>, strides = array<i64: 1>} : (tensor<1x40000x1xf32>, tensor<5x1x1xf32>) -> tensor<1x40000x1xf32>
      %1 = kolam.elementwise "tanh" %0 : (tensor<1x40000x1xf32>) -> tensor<1x40000x1xf32>
      %2 = kolam.convolution %1, %f <"lanes<64>, chunk<4096>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: 2>, low = array<i64: 2>, strides = array<i64: 1>} : (tensor<1x40000x1xf32>, tensor<5x1x1xf32>) -> tensor<1x40000x1xf32>
      return %2 : tensor<1x40000x1xf32>
    })"},
    {"shifted_sum", 3,
     R"(func.func @main(%x: tensor<120x4000xf32>, %c: tensor<120xf32>) -> tensor<120xf32> {
      %0 = kolam.elementwise "exp" %x : (tensor<120x4000xf32>) -> tensor<120x4000xf32>
      %1 = kolam.broadcast %c [0] : tensor<120xf32> -> tensor<120x4000xf32>
      %2 = kolam.elementwise "add" %0, %1 : (tensor<120x4000xf32>, tensor<120x4000xf32>) -> tensor<120x4000xf32>
      %3 = kolam.reduce "add" %2 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<120x4000xf32>) -> tensor<120xf32>
      return %3 : tensor<120xf32>
    })"},
    {"running_sum", 2, R"(func.func @main(%x: tensor<200000xi32>) -> tensor<200000xi32> {
      %0 = kolam.cumulative "add" %x dim 0 {exclusive = false, reverse = false} : tensor<200000xi32> -> tensor<200000xi32>
      return %0 : tensor<200000xi32>
    })"},
    {"projections", 2,
     R"(func.func @main(%x: tensor<64x64xf32>, %q: tensor<64x32xf32>, %k: tensor<64x32xf32>) -> tensor<64x32xf32> {
      %0 = kolam.contract "ik,kn->in" %x, %q <"chain<512>"> : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %1 = kolam.contract "ik,kn->in" %x, %k <"chain<512>"> : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %2 = kolam.elementwise "multiply" %0, %1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      return %2 : tensor<64x32xf32>
    })"},
    {"long_sum", 4,
     R"(func.func @main(%x: tensor<16x16384xf32>, %y: tensor<16384x16xf32>) -> tensor<16x16xf32> {
      %0 = kolam.contract "ik,kn->in" %x, %y <"chain<512>"> : (tensor<16x16384xf32>, tensor<16384x16xf32>) -> tensor<16x16xf32>
      %1 = kolam.elementwise "tanh" %0 : (tensor<16x16xf32>) -> tensor<16x16xf32>
      return %1 : tensor<16x16xf32>
    })"},
};

std::string described(const Found& found) {
  for (const Alternative& one : found.alternatives)
    if (one.why_not.empty())
      return one.what;
  return {};
}

class ExhaustiveTest : public testing::TestWithParam<Case> {};

TEST_P(ExhaustiveTest, TheSearchIsWithinAPercentOfTheBest) {
  const Case& own = GetParam();
  driver::Module program = driver::parse(own.text, own.name).program;
  for (Allow allow : {Allow::exact, Allow::reassociate}) {
    SCOPED_TRACE(allow == Allow::exact ? "exact" : "reassociate");
    Exhaustive exhaustive(own, allow);
    const double best = exhaustive.least(program.main());
    const Found found = find_plan(program.main(), machine_of(own.workers),
                                  {.workers = own.workers, .allow = allow, .steps = 40});
    EXPECT_GT(exhaustive.plans(), 0);
    EXPECT_LE(found.plan.cost.at("time"), best * 1.01)
        << exhaustive.plans() << " plans, the best: " << exhaustive.best()
        << "\nfound: " << described(found);
    RecordProperty(allow == Allow::exact ? "exact" : "reassociate",
                   std::to_string(found.plan.cost.at("time") / best) + " of " +
                       std::to_string(exhaustive.plans()));
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ExhaustiveTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

} // namespace
} // namespace kolam::planner
