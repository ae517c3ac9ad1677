// Programs cut at random, by every op: the bits of the whole.
#include "kolam/driver/parse.h"
#include "kolam/driver/run_plan.h"
#include "kolam/ir/types.h"
#include "kolam/plan/blocks.h"
#include "kolam/plan/check.h"
#include "kolam/plan/json.h"
#include "kolam/planner/replay.h"
#include "kolam/planner/search.h"

#include <gtest/gtest.h>

#include <random>

#include "test/planner/programs.h"

namespace kolam::planner {
namespace {

/// What a worker holds at most, in the order of positions.
int64_t most_memory(const plans::Plan& plan) {
  const std::vector<plans::Event> events = plans::expand(plan);
  int64_t most = 0;
  for (const plans::Peak& peak :
       plans::peaks_in_order(plan, events, plans::find_blocks(plan, events)))
    most = std::max(most, peak.bytes);
  return most;
}

using runtime::Array;

Array random_array(mlir::Type type, std::mt19937& random) {
  std::vector<int64_t> shape;
  for (const Extent& extent : ir::shape_of(type))
    shape.push_back(*extent.constant());
  Array array = Array::uninitialized(ir::dtype_of(type), shape);
  visit_dtype(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& element : array.mutable_values<T>()) {
      auto number = static_cast<int64_t>(random() % 12);
      if constexpr (std::is_floating_point_v<T>)
        element = static_cast<T>(number - 5) / static_cast<T>(7);
      else if constexpr (std::is_same_v<T, bool>)
        element = number > 5;
      else if constexpr (std::is_integral_v<T>)
        element = static_cast<T>(number % 6);
      else
        element = T{static_cast<uint16_t>(random() % 0x4000)};
    }
  });
  return array;
}

void expect_same(const std::string& name, const std::string& text, uint64_t seed) {
  SCOPED_TRACE(name + " seed " + std::to_string(seed));
  driver::Module program = driver::parse(text, name).program;
  ASSERT_EQ(transform::why_not_cut(program.main()), "");
  std::mt19937 random(static_cast<unsigned>(seed));
  std::vector<Array> arguments;
  for (mlir::Type type : program.main().getArgumentTypes())
    arguments.push_back(random_array(type, random));
  try {
    plans::Plan plan = random_plan(program.main(), 3, Allow::exact, seed);
    EXPECT_EQ(space::to_string(plans::check(plan)), "");
    EXPECT_EQ(plans::plan_from_json(plans::to_json(plan)), plan);
    EXPECT_EQ(space::to_string(replay(program.main(), plan)), "");
    driver::Options options;
    options.is_interpreted = true;
    std::vector<Array> expected =
        driver::compile(program.clone(), options)->run(arguments, nullptr);
    std::vector<driver::PlanArgument> given;
    for (const Array& argument : arguments)
      given.push_back({argument, nullptr});
    driver::PlanRun run;
    run.is_interpreted = seed % 8 != 0;
    // With all the memory that the order needs, and no more.
    if (seed % 2 == 0)
      plan.memory_per_worker = most_memory(plan);
    driver::PlanOutcome outcome = driver::run_plan(plan, given, run);
    const std::vector<Array>& actual = outcome.results;
    if (plan.memory_per_worker > 0)
      for (int64_t bytes : outcome.report.peak_memory)
        EXPECT_LE(bytes, plan.memory_per_worker);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t result = 0; result < actual.size(); ++result)
      EXPECT_TRUE(runtime::same_bits(actual[result], expected[result]))
          << actual[result].to_string() << "\n"
          << expected[result].to_string();
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

/// How many seeds each program is cut by. KOLAM_RUNS asks for more, KOLAM_PROGRAM for one program.
uint64_t runs() {
  constexpr uint64_t kUsual = 8; // bound: of the time; test/python/random_plans_test.py has more
  const char* given = std::getenv("KOLAM_RUNS");
  return given ? std::stoull(given) : kUsual;
}

TEST(RandomPlan, EveryOpIsCutWithTheBitsOfTheWhole) {
  const char* given = std::getenv("KOLAM_SEED");
  const char* only = std::getenv("KOLAM_PROGRAM");
  const uint64_t first = given ? std::stoull(given) : 1;
  ASSERT_FALSE(programs().empty());
  for (const auto& [name, text] : programs())
    for (uint64_t seed = first; seed < first + runs(); ++seed)
      if (!only || name == only)
        expect_same(name, text, seed);
}

} // namespace
} // namespace kolam::planner
