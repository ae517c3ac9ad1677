// Plans of programs that choices rewrite: found where they are better, replayed, and the right
// values.
#include "kolam/planner/variants.h"

#include "kolam/driver/parse.h"
#include "kolam/driver/run_plan.h"
#include "kolam/interp/interpreter.h"
#include "kolam/plan/check.h"
#include "kolam/plan/json.h"
#include "kolam/planner/replay.h"
#include "kolam/planner/search.h"

#include <gtest/gtest.h>

namespace kolam::planner {
namespace {

using runtime::Array;

const plans::Machine kMachine{.workers = 4,
                              .flops = 1e9,
                              .memory_bandwidth = 1e10,
                              .memory = int64_t{1} << 30,
                              .levels = {{.group = 1024, .bandwidth = 1e8, .latency = 1e-6}},
                              .task_overhead = 1e-6};

driver::Module parse(const std::string& text) { return driver::parse(text, "test").program; }

/// (x y) z, where z has one column.
driver::Module products() {
  return parse(
      R"(func.func @main(%x: tensor<96x64xf32>, %y: tensor<64x80xf32>, %z: tensor<80x1xf32>) -> tensor<96x1xf32> {
    %0 = kolam.contract "mk,kn->mn" %x, %y <"chain<512>"> : (tensor<96x64xf32>, tensor<64x80xf32>) -> tensor<96x80xf32>
    %1 = kolam.contract "mk,kn->mn" %0, %z <"lanes<64>, chunk<4096>"> : (tensor<96x80xf32>, tensor<80x1xf32>) -> tensor<96x1xf32>
    return %1 : tensor<96x1xf32>
  })");
}

/// A running sum, whose steps wait for one another.
driver::Module running() {
  return parse(R"(func.func @main(%x: tensor<100003xi32>) -> tensor<100003xi32> {
    %0 = kolam.cumulative "add" %x dim 0 {exclusive = false, reverse = false} : tensor<100003xi32> -> tensor<100003xi32>
    return %0 : tensor<100003xi32>
  })");
}

std::vector<std::string> names_of(const plans::Plan& plan) {
  std::vector<std::string> names;
  for (const plans::Choice& entry : plan.trace)
    names.push_back(entry.name);
  return names;
}

std::vector<Array> arguments_of(const driver::Module& program) {
  std::vector<Array> arguments;
  for (mlir::Type type : program.main().getArgumentTypes()) {
    std::vector<int64_t> shape;
    for (const Extent& extent : ir::shape_of(type))
      shape.push_back(*extent.constant());
    Array array = Array::uninitialized(ir::dtype_of(type), shape);
    int64_t number = 0;
    visit_dtype(array.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_arithmetic_v<T>)
        for (T& element : array.mutable_values<T>())
          element = static_cast<T>(static_cast<T>(++number % 13) - static_cast<T>(3));
    });
    arguments.push_back(std::move(array));
  }
  return arguments;
}

/// Small integers as floats: sums are exact in any order.
void expect_right(const driver::Module& program, const plans::Plan& plan) {
  EXPECT_EQ(space::to_string(plans::check(plan)), "");
  EXPECT_EQ(space::to_string(replay(program.main(), plan)), "");
  EXPECT_EQ(plans::plan_from_json(plans::to_json(plan)), plan);
  const std::vector<Array> arguments = arguments_of(program);
  std::vector<driver::PlanArgument> given;
  for (const Array& argument : arguments)
    given.push_back({argument, nullptr});
  const std::vector<Array> actual = driver::run_plan(plan, given, {}),
                           expected = interp::interpret(program.main(), arguments);
  for (size_t result = 0; result < expected.size(); ++result)
    EXPECT_TRUE(runtime::same_bits(actual[result], expected[result]));
}

TEST(Variants, ProductsGoInTheBetterOrderWhereThatIsAllowed) {
  const driver::Module program = products();
  const SearchOptions exact{.workers = 4, .steps = 0},
      any{.workers = 4, .allow = Allow::reassociate, .steps = 0};
  const plans::Plan kept = find_plan(program.main(), kMachine, exact).plan;
  const plans::Plan other = find_plan(program.main(), kMachine, any).plan;
  EXPECT_FALSE(llvm::is_contained(names_of(kept), "associate_products"));
  EXPECT_TRUE(llvm::is_contained(names_of(other), "associate_products"));
  EXPECT_LT(other.cost.at("time"), kept.cost.at("time") / 4);
  expect_right(program, kept);
  expect_right(program, other);
}

TEST(Variants, RunningSumsGoInChunksSideBySide) {
  const driver::Module program = running();
  const Found found = find_plan(program.main(), kMachine, {.workers = 4, .steps = 0});
  EXPECT_EQ(names_of(found.plan)[0], "cumulative_in_chunks"); // of integers: every bit stays
  EXPECT_TRUE(found.plan.trace[0].exact);
  EXPECT_EQ(found.plan.cost.at("workers"), 4);
  expect_right(program, found.plan);
}

TEST(Variants, ChoicesAreTakenByName) {
  const driver::Module program = running();
  const SearchOptions options{.workers = 2,
                              .steps = 0,
                              .choices = {"cumulative_in_turn 0 cuts=10,20000"},
                              .tries_choices = false};
  const plans::Plan plan = find_plan(program.main(), kMachine, options).plan;
  EXPECT_EQ(names_of(plan)[0], "cumulative_in_turn");
  EXPECT_EQ(plan.trace[0].parameters.at("cuts"), "10,20000");
  expect_right(program, plan);
}

TEST(Variants, TracesOfOtherStepsAreRefused) {
  const driver::Module program = products();
  const plans::Plan plan =
      find_plan(program.main(), kMachine, {.workers = 4, .allow = Allow::reassociate, .steps = 0})
          .plan;
  ASSERT_EQ(plan.trace[0].name, "associate_products");
  auto expect_refused = [&](const auto& damage) {
    plans::Plan damaged = plan;
    damage(damaged.trace);
    EXPECT_NE(space::to_string(replay(program.main(), damaged)), "");
  };
  expect_refused([](auto& trace) { trace.erase(trace.begin()); });
  expect_refused([](auto& trace) { trace[0].name = "nothing"; });
  expect_refused([](auto& trace) { trace[0].parameters["op"] = "7"; });
  expect_refused([](auto& trace) { trace[0].parameters["op"] = "seven"; });
  expect_refused([](auto& trace) { trace[0].parameters.erase("op"); });
  expect_refused([](auto& trace) { trace[0].parameters["factor"] = "0"; });
  expect_refused([](auto& trace) { trace[0].exact = true; });
  expect_refused([](auto& trace) { trace.push_back(trace[0]); });
}

/// Input channels of several groups are no box of the input.
TEST(Variants, ChannelsOfSeveralGroupsStayTogether) {
  const driver::Module program = parse(
      R"(func.func @main(%x: tensor<1x3x64xf32>, %f: tensor<1x32x4xf32>) -> tensor<1x3x4xf32> {
    %0 = kolam.convolution %x, %f <"lanes<64>, chunk<4096>"> {dilation = array<i64: 1>, groups = 2 : i64, high = array<i64: 0>, low = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x3x64xf32>, tensor<1x32x4xf32>) -> tensor<1x3x4xf32>
    return %0 : tensor<1x3x4xf32>
  })");
  for (int64_t workers : {2, 4, 8})
    expect_right(program, find_plan(program.main(), kMachine,
                                    {.workers = workers, .allow = Allow::reassociate, .steps = 2})
                              .plan);
  const std::vector<std::string> choices{"sum_in_parts 0 dim=5 cuts=8"};
  EXPECT_THROW(variant_of(program.main(), choices, 2, rewrite::Keeps::reassociates), Error);
}

TEST(Variants, EqualOpsTakeAStepTogether) {
  std::string text = "func.func @main(%v0: tensor<5x24xi32>) -> tensor<5x24xi32> {\n";
  for (int layer = 0; layer < 20; ++layer)
    text += "%v" + std::to_string(layer + 1) + " = kolam.cumulative \"add\" %v" +
            std::to_string(layer) +
            " dim 1 {exclusive = false, reverse = false} : tensor<5x24xi32> -> tensor<5x24xi32>\n";
  const driver::Module program = parse(text + "return %v20 : tensor<5x24xi32>\n}");
  const auto first = variant_of(program.main(), {}, 3, rewrite::Keeps::exact);
  const auto next = next_variants(*first, 3, rewrite::Keeps::exact, 8);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0]->trace.size(), 20u);
}

} // namespace
} // namespace kolam::planner
