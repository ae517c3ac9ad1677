// Plans that the search finds.
#include "kolam/driver/parse.h"
#include "kolam/plan/check.h"
#include "kolam/planner/cost.h"
#include "kolam/planner/search.h"

#include <gtest/gtest.h>

namespace kolam::planner {
namespace {

const plans::Machine kMachine{.workers = 4,
                              .flops = 1e9,
                              .memory_bandwidth = 1e9,
                              .memory = int64_t{1} << 30,
                              .levels = {{.group = 1024, .bandwidth = 1e8, .latency = 1e-6}},
                              .task_overhead = 1e-6};

driver::Module product(int64_t m, int64_t k, int64_t n) {
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

TEST(Search, AProductIsCutIntoSquares) {
  driver::Module program = product(1024, 256, 1024);
  Found found = find_plan(program.main(), kMachine, {.workers = 4, .steps = 0});
  EXPECT_EQ(space::to_string(plans::check(found.plan)), "");
  // Of four squares of 512 x 512 each worker loads a quarter of both factors and receives another.
  EXPECT_EQ(found.plan.cost.at("bytes_in"), 512 * 256 * 4);
  EXPECT_EQ(found.plan.cost.at("workers"), 4);
  EXPECT_EQ(found.plan.cost.at("peak_memory"), (2 * 512 * 256 + 512 * 512) * 4);
}

TEST(Search, LongSumsAreCutAtRuns) {
  driver::Module program = product(32, 65536, 32);
  Found found =
      find_plan(program.main(), kMachine, {.workers = 4, .objective = "bytes_in", .steps = 0});
  EXPECT_EQ(space::to_string(plans::check(found.plan)), "");
  // Three quarters of the sums of others come in: an exchange by slices.
  EXPECT_EQ(found.plan.cost.at("bytes_in"), 3 * 32 * 32 * 4 / 4);
}

// The numbers of ten f64 sorted: 8 bytes are read and 4 written of each, at a byte a second.
TEST(Choose, BytesOfTheResultThatIsRead) {
  driver::Module program = driver::parse(R"(
func.func @main(%x: tensor<10xf64>) -> tensor<10xi32> {
  %0:2 = kolam.sort %x {descending = false} : (tensor<10xf64>) -> (tensor<10xf64>, tensor<10xi32>)
  return %0#1 : tensor<10xi32>
})",
                                         "test")
                               .program;
  const plans::Machine machine{.workers = 1,
                               .flops = 1e30,
                               .memory_bandwidth = 1,
                               .memory = 0,
                               .levels = {{.group = 1, .bandwidth = 1, .latency = 0}}};
  transform::Cuts parts;
  const llvm::DenseSet<mlir::Value> stored{
      llvm::to_vector(program.main().getBody().front().getTerminator()->getOperands())[0]};
  const std::vector<Stage> stages = stages_of(program.main(), stored, parts);
  const Weights time;
  EXPECT_EQ(choose_grids(stages, parts, machine, 1, Allow::exact, {&time, 1})[0].total, 120);
}

TEST(Search, TheSameSeedAndStepsGiveTheSamePlan) {
  driver::Module program = product(64, 64, 64);
  const SearchOptions options{.workers = 3, .seed = 5, .steps = 3};
  EXPECT_EQ(find_plan(program.main(), kMachine, options).plan,
            find_plan(program.main(), kMachine, options).plan);
}

TEST(Search, LimitsThatNothingMeetsNameTheNearest) {
  driver::Module program = product(64, 64, 64);
  try {
    find_plan(program.main(), kMachine, {.workers = 2, .memory_per_worker = 100, .steps = 0});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "plan-limit");
    EXPECT_NE(std::string(error.what()).find("peak_memory"), std::string::npos);
  }
}

} // namespace
} // namespace kolam::planner
