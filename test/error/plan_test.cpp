// The words of plans that are no plans, and of those that are too large.
#include "kolam/plan/check.h"
#include "kolam/plan/expand.h"
#include "kolam/plan/json.h"
#include "kolam/plan/simulate.h"
#include "test/runtime/expect_error.h"

#include <gtest/gtest.h>

namespace kolam::plans {
namespace {

std::string words(const std::function<void()>& call) { return error_of(call).what(); }

TEST(PlanErrors, BadPlan) {
  EXPECT_EQ(words([] { plan_from_json(R"({"format": 2})"); }),
            "[bad-plan] format: expected format 1 of plans, but got 2");
}

TEST(PlanErrors, TooLarge) {
  Plan plan;
  plan.tasks.resize(1);
  plan.tasks[0].counts = {INT64_MAX};
  EXPECT_EQ(words([&] { expand(plan); }),
            "[plan-too-large] expected at most 16777216 tasks and transfers, but got more");
}

TEST(PlanErrors, Overflow) {
  EXPECT_EQ(words([] { block_bytes({}, Box({0, 0}, {INT64_MAX, 1})); }),
            "[plan-overflow] expected a number of 64 bits, but got 4 * 9223372036854775807");
}

/// z = relu(x) of 4 elements in two halves, both at worker 0 of 2, the second half twice as late.
Plan halves() {
  Plan plan;
  plan.workers = 2;
  plan.tensors = {{"x", DType::f32, {4}, 0, {}, -1}, {"z", DType::f32, {4}, -1, {0}, -1}};
  const space::Projection same = space::projection(space::identity_map(1), {1});
  plan.stages = {{"load", Work::load, {}, {0}},
                 {"relu",
                  Work::compute,
                  {"relu",
                   {space::map_dim("i", 4)},
                   {{"x", space::Role::in, {4}, same}, {"z", space::Role::out, {4}, same}}},
                  {0, 1}}};
  plan.pieces = {{0, "", 0, 0}, {1, "", 0, 0}};
  auto part = [](int64_t start, int64_t extent) { return Boxes{{{start, {}}}, {extent}}; };
  plan.tasks = {{0, {}, {0, {}}, {0, {}}, {}, {}, {part(0, 4)}, {}}};
  for (int64_t start : {0, 2})
    plan.tasks.push_back(
        {1, {}, {1 + start, {}}, {0, {}}, part(start, 2), {part(start, 2)}, {part(start, 2)}, {}});
  return plan;
}

/// The first break that is told of a plan, after `damage`.
std::string first_break(const std::function<void(Plan&)>& damage) {
  Plan plan = halves();
  EXPECT_EQ(to_string(check(plan)), "");
  damage(plan);
  const std::string words = to_string(check(plan));
  return words.substr(0, words.find('\n'));
}

TEST(PlanErrors, Structure) {
  EXPECT_EQ(first_break([](Plan& plan) { plan.tasks[2].worker.first = 2; }),
            "tasks[2].worker: [plan-structure] expected workers below 2, but got 2 to 2");
}

TEST(PlanErrors, PartitionAndCoverage) {
  EXPECT_EQ(first_break([](Plan& plan) { plan.tasks.pop_back(); }),
            "stage 'relu': [plan-partition] the pieces: expected 4 elements in all, but got 2");
  EXPECT_EQ(first_break([](Plan& plan) {
              plan.tensors[0].results = {1};
              plan.tasks[0].writes[0].extent = {3};
            }),
            "tensor 'x': [plan-coverage] expected loads of all of it, as it is a result");
}

TEST(PlanErrors, Region) {
  EXPECT_EQ(
      first_break([](Plan& plan) { plan.tasks[2].reads[0].start[0].first = 1; }),
      "task 'relu' at position 3: [plan-region] expected index box [2:4] to read [2:4] of 'x', "
      "but got [1:3]");
}

TEST(PlanErrors, Merge) {
  Plan plan = halves();
  plan.tensors.push_back({"p", DType::f32, {2, 4}, -1, {}, 1});
  plan.stages.push_back({"merge", Work::merge, {}, {2, 1}});
  plan.pieces.push_back({2, "", 0, 0});
  const Boxes term{{{0, {}}, {0, {}}}, {1, 4}}, whole{{{0, {}}}, {4}};
  plan.tasks.push_back({2, {}, {9, {}}, {0, {}}, {}, {term}, {whole}, {}});
  EXPECT_NE(to_string(check(plan))
                .find("task 'merge' at position 9: [plan-merge] expected all 2 terms, but got 0:1"),
            std::string::npos);
}

TEST(PlanErrors, Order) {
  EXPECT_EQ(
      first_break([](Plan& plan) { plan.tasks[0].position.first = 2; }),
      "task 'relu' at position 1: [plan-order] expected [0:2] of 'x' at worker 0 before, but it "
      "comes later");
}

TEST(PlanErrors, Transfer) {
  EXPECT_EQ(
      first_break([](Plan& plan) { plan.tasks[2].worker.first = 1; }),
      "task 'relu' at position 3: [plan-transfer] expected [2:4] of 'x' at worker 1, but it was "
      "neither made nor moved there");
}

TEST(PlanErrors, Memory) {
  EXPECT_EQ(
      first_break([](Plan& plan) { plan.memory_per_worker = 20; }),
      "worker 0: [plan-memory] expected at most 20 bytes, but task 'relu' at position 1 needs "
      "24");
}

TEST(PlanErrors, BadMachine) {
  EXPECT_EQ(words([] { machine_from_json(R"({"format": 2})"); }),
            "[bad-machine] format: expected format 1 of machines, but got 2");
  EXPECT_EQ(words([] { simulate(halves(), Machine{1, 1, 1, 0, {}, 0}); }),
            "[bad-machine] expected a machine of at least 2 workers, as the plan has, but got 1");
}

TEST(PlanErrors, Stuck) {
  EXPECT_EQ(
      words([] { simulate(halves(), Machine{2, 1, 1, 20, {{2, 1, 0}}, 0}); }),
      "[plan-stuck] expected memory for task 'relu' at position 1, but worker 0 has 20 bytes");
}

} // namespace
} // namespace kolam::plans
