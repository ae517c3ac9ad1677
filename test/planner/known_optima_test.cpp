// What the planner finds beside what is known to be least.
#include "kolam/driver/parse.h"
#include "kolam/plan/check.h"
#include "kolam/plan/simulate.h"
#include "kolam/planner/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kolam::planner {
namespace {

plans::Machine cluster(int64_t workers) {
  return {.workers = workers,
          .flops = 4e14,
          .memory_bandwidth = 3e12,
          .memory = int64_t{80} << 30,
          .levels = {{.group = 8, .bandwidth = 4.5e11, .latency = 2e-6},
                     {.group = 1 << 20, .bandwidth = 5e10, .latency = 1e-5}},
          .task_overhead = 0};
}

driver::Module product(int64_t m, int64_t n, int64_t k) {
  auto tensor = [](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
  };
  const std::string x = tensor(m, k), y = tensor(k, n), z = tensor(m, n);
  return driver::parse("func.func @main(%x: " + x + ", %y: " + y + ") -> " + z + " {\n" +
                           "  %z = kolam.contract \"mk,kn->mn\" %x, %y <\"chain<512>\"> : (" + x +
                           ", " + y + ") -> " + z + "\n  return %z : " + z + "\n}",
                       "test")
      .program;
}

/// Elements that some worker receives at least, where factors and product are spread evenly: Al
/// Daas and others, "Tight memory-independent parallel matrix multiplication communication lower
/// bounds", 2022: one, two or three dims are worth cutting.
double least_elements(double m, double n, double k, double workers) {
  double dims[3] = {m, n, k};
  std::ranges::sort(dims, std::greater<>());
  const double own = (m * n + n * k + m * k) / workers;
  const auto [a, b, c] = dims;
  if (workers <= a / b)
    return a * b / workers + a * c / workers + b * c - own;
  if (workers <= a * b / (c * c))
    return 2 * std::sqrt(a * b * c * c / workers) + a * b / workers - own;
  return 3 * std::pow(a * b * c / workers, 2.0 / 3) - own;
}

struct Case {
  int64_t m, n, k, workers;
  double goal;
};

class Products : public testing::TestWithParam<Case> {};

TEST_P(Products, ReceiveNearlyTheLeast) {
  const Case& of = GetParam();
  driver::Module program = product(of.m, of.n, of.k);
  Found found = find_plan(program.main(), cluster(of.workers),
                          {.workers = of.workers, .objective = "bytes_in", .steps = 0});
  EXPECT_EQ(space::to_string(plans::check(found.plan)), "");
  const double least =
      4 * least_elements(static_cast<double>(of.m), static_cast<double>(of.n),
                         static_cast<double>(of.k), static_cast<double>(of.workers));
  EXPECT_LE(found.plan.cost.at("bytes_in") / least, of.goal)
      << found.plan.trace[0].parameters.at("grid");
  EXPECT_GE(found.plan.cost.at("bytes_in") / least, 0.999);
}

constexpr int64_t kLarge = 65536;
INSTANTIATE_TEST_SUITE_P(Known, Products,
                         testing::Values(Case{4096, 4096, 4096, 8, 1.05},
                                         Case{4096, 4096, 4096, 64, 1.05},
                                         Case{4096, 4096, 512, 16, 1.05},
                                         Case{32768, 512, 512, 16, 1.05}));

INSTANTIATE_TEST_SUITE_P(Large, Products,
                         testing::Values(Case{kLarge, kLarge, kLarge, 1000, 1.05},
                                         Case{kLarge, kLarge, kLarge, 1021, 1.05},
                                         Case{kLarge, kLarge, kLarge, 1024, 1.05},
                                         Case{kLarge, kLarge, kLarge, 4096, 1.05},
                                         Case{kLarge, kLarge, 1024, 1024, 1.05},
                                         Case{262144, 4096, 4096, 32, 1.05},
                                         Case{262144, 4096, 4096, 1024, 1.1}));

/// y = relu(x w) v, of a few rows: each worker has columns of w and rows of v.
driver::Module two_products(int64_t rows, int64_t width, int64_t hidden) {
  auto tensor = [](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
  };
  const std::string x = tensor(rows, width), w = tensor(width, hidden), v = tensor(hidden, width),
                    h = tensor(rows, hidden);
  return driver::parse("func.func @main(%x: " + x + ", %w: " + w + ", %v: " + v + ") -> " + x +
                           " {\n  %h = kolam.contract \"mk,kn->mn\" %x, %w <\"chain<512>\"> : (" +
                           x + ", " + w + ") -> " + h +
                           "\n  %a = kolam.elementwise \"tanh\" %h : (" + h + ") -> " + h +
                           "\n  %y = kolam.contract \"mk,kn->mn\" %a, %v <\"chain<512>\"> : (" + h +
                           ", " + v + ") -> " + x + "\n  return %y : " + x + "\n}",
                       "test")
      .program;
}

TEST(TwoProducts, MergeTheLeast) {
  constexpr int64_t kRows = 512, kWidth = 4096;
  driver::Module program = two_products(kRows, kWidth, 4 * kWidth);
  for (int64_t ways : {2, 4, 8}) {
    Found found = find_plan(
        program.main(), cluster(ways),
        {.workers = ways, .objective = "bytes_in", .allow = Allow::reassociate, .steps = 0});
    EXPECT_EQ(space::to_string(plans::check(found.plan)), "");
    const double result = 4.0 * kRows * kWidth, share = static_cast<double>(ways - 1);
    EXPECT_LE(found.plan.cost.at("bytes_in"), 2 * share / static_cast<double>(ways) * result);
  }
}

/// `steps` five-point stencils with zeros around.
driver::Module stencils(int64_t side, int64_t steps) {
  const std::string own = std::to_string(side), wide = std::to_string(side + 2);
  const std::string type = "tensor<" + own + "x" + own + "xf32>",
                    padded = "tensor<" + wide + "x" + wide + "xf32>";
  std::string text = "func.func @main(%x0: " + type + ") -> " + type +
                     " {\n  %zero = kolam.constant dense<0.0> : tensor<f32>\n";
  for (int64_t step = 0; step < steps; ++step) {
    const std::string now = std::to_string(step), next = std::to_string(step + 1);
    text += "  %p" + now + " = kolam.pad %x" + now +
            ", %zero \"constant\" low [1, 1] high [1, 1] : " + type + ", tensor<f32> -> " + padded +
            "\n";
    std::string sum = "%x" + now;
    int part = 0;
    for (const char* start :
         {"[\"0\", \"1\"]", "[\"2\", \"1\"]", "[\"1\", \"0\"]", "[\"1\", \"2\"]"}) {
      const std::string name = now + "_" + std::to_string(part++);
      text += "  %s" + name + " = kolam.slice %p" + now + " <" + start + "> [1, 1] : " + padded +
              " -> " + type + "\n";
      const std::string total = part == 4 ? "%x" + next : "%t" + name;
      text += "  " + total + " = kolam.elementwise \"add\" " + sum + ", %s" + name + " : (" + type +
              ", " + type + ") -> " + type + "\n";
      sum = total;
    }
  }
  return driver::parse(text + "  return %x" + std::to_string(steps) + " : " + type + "\n}", "test")
      .program;
}

/// What every `depth`-th step keeps, and the results.
llvm::DenseSet<mlir::Value> kept_steps(mlir::func::FuncOp main, transform::Cuts& parts,
                                       int64_t depth) {
  llvm::DenseSet<mlir::Value> kept = usual_stored(main, parts);
  const std::vector<mlir::Value> steps = waists_of(main, kept, parts);
  for (auto step = static_cast<size_t>(depth); step <= steps.size();
       step += static_cast<size_t>(depth))
    kept.insert(steps[step - 1]);
  return kept;
}

double simulated_time(mlir::func::FuncOp main, const plans::Machine& machine, int64_t depth,
                      const std::vector<int64_t>& counts) {
  transform::Cuts parts;
  const std::vector<Stage> stages = stages_of(main, kept_steps(main, parts, depth), parts);
  std::vector<StageCut> cuts;
  for (const Stage& stage : stages)
    cuts.push_back(
        cut_by(stage, {.counts = counts, .dims = {}, .workers = machine.workers}, parts));
  return plans::simulate(make_plan(main, stages, cuts, {.workers = machine.workers}, parts),
                         machine)
      .time;
}

/// Enumerates how deep halos are and how the plane is cut. Each exchange takes a latency between
/// nodes at least, which rules shallow ones out.
TEST(Stencils, AsFastAsTheBestGridAndHaloDepthSlow) {
  constexpr int64_t kSteps = 64, kWorkers = 1024;
  driver::Module program = stencils(32768, kSteps);
  const plans::Machine machine = cluster(kWorkers);
  double best = HUGE_VAL;
  for (int64_t depth = kSteps; depth >= 1; depth /= 2)
    for (int64_t rows = 1; rows <= kWorkers; rows *= 2)
      if (static_cast<double>(kSteps / depth) * machine.levels.back().latency < best)
        best =
            std::min(best, simulated_time(program.main(), machine, depth, {rows, kWorkers / rows}));
  const Found found = find_plan(program.main(), machine, {.workers = kWorkers, .seconds = 10});
  EXPECT_EQ(space::to_string(plans::check(found.plan)), "");
  EXPECT_LE(plans::simulate(found.plan, machine).time, 1.02 * best)
      << found.plan.trace[0].parameters.at("grid") << ", " << found.plan.stages.size() << " stages";
}

/// On a machine whose links are slow beside its sums no halo is deep, on one of long latencies all
/// are.
TEST(Stencils, HaloDepthsFollowTheMachine) {
  constexpr int64_t kSteps = 16, kWorkers = 4;
  driver::Module program = stencils(256, kSteps);
  for (double latency : {0.0, 1e-6, 1e-3}) {
    plans::Machine machine = cluster(kWorkers);
    machine.flops = 1e9;
    for (plans::Level& level : machine.levels)
      level.latency = latency;
    double best = HUGE_VAL;
    for (int64_t depth = kSteps; depth >= 1; depth /= 2)
      for (int64_t rows = 1; rows <= kWorkers; rows *= 2)
        best =
            std::min(best, simulated_time(program.main(), machine, depth, {rows, kWorkers / rows}));
    const Found found = find_plan(program.main(), machine, {.workers = kWorkers, .steps = 0});
    EXPECT_LE(plans::simulate(found.plan, machine).time, 1.02 * best) << "latency " << latency;
  }
}

} // namespace
} // namespace kolam::planner
