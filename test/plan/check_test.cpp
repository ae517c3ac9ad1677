// The certificate: sound plans pass, each rule is told when broken. V1, V4, V5, S1, S2 and S4 of
// the reference (V2 and V3 are breaks of structure).
#include "kolam/plan/check.h"

#include <gtest/gtest.h>

#include "kolam/plan/expand.h"
#include "kolam/space/partition.h"
#include "kolam/space/projection_forms.h"
#include "kolam/space/region.h"
#include "test/plan/random_plan.h"
#include "test/space/random_space.h"

namespace kolam::plans {
namespace {

using space::Role;

Box box(std::string_view text) { return *space::parse_box(text); }

/// z[i, n] = sum of x[i, m] y[m, n], the reduction inside a point; x starts at `origin`.
space::Signature matmul(int64_t rows, int64_t inner, int64_t columns, Shape origin) {
  using space::kWhole;
  space::Projection x = translate(space::axial(2, {0, kWhole}, {rows, inner}), origin);
  return {"matmul",
          {space::map_dim("i", rows), space::map_dim("n", columns)},
          {{"x", Role::in, {rows, inner}, x, {}, false, origin},
           {"y", Role::in, {inner, columns}, space::axial(2, {kWhole, 1}, {inner, columns})},
           {"z", Role::out, {rows, columns}, space::identity(2)}}};
}

/// A product cut into boxes, one after the other on the workers.
PlanBuilder product_plan(int64_t rows, int64_t inner, int64_t columns, Shape origin,
                         const std::vector<Box>& boxes, int64_t workers) {
  PlanBuilder builder(workers);
  const int64_t x = builder.add_argument("x", {rows, inner});
  const int64_t y = builder.add_argument("y", {inner, columns});
  const int64_t z = builder.add_tensor("z", {rows, columns});
  builder.plan.tensors[z].results = {0};
  const int64_t stage = builder.add_stage(
      {"matmul", Work::compute, matmul(rows, inner, columns, std::move(origin)), {x, y, z}});
  int64_t worker = 0;
  for (const Box& index : boxes)
    builder.run(stage, index, worker++ % workers);
  return builder;
}

TEST(Check, S1MatmulThenRowSum) {
  using space::kWhole;
  PlanBuilder builder =
      product_plan(3, 4, 5, {-10, 4}, space::split_by_size(box("[0:3, 0:5]"), 1, 2), 3);
  const int64_t s = builder.add_tensor("s", {3});
  space::Signature sum{"sum",
                       {space::map_dim("i", 3)},
                       {{"z", Role::in, {3, 5}, space::axial(1, {0, kWhole}, {3, 5})},
                        {"s", Role::out, {3}, space::identity(1)}}};
  const int64_t stage = builder.add_stage({"sum", Work::compute, sum, {2, s}});
  builder.run(stage, box("[0:2]"), 0);
  builder.run(stage, box("[2:3]"), 1);
  EXPECT_EQ(to_string(check(builder.plan)), "");
  // The third product reads all of x, in the plan's tensors from 0, and the last column of y.
  const std::vector<Event> events = expand(builder.plan);
  EXPECT_EQ(events[8].reads, (std::vector<Box>{box("[0:3, 0:4]"), box("[0:4, 4:5]")}));
  EXPECT_EQ(builder.plan.moves.size(), 4u);
}

TEST(Check, S2FourApplications) {
  PlanBuilder builder =
      product_plan(10, 5, 12, {-10, 0}, space::split_grid(box("[0:10, 0:12]"), {2, 2}), 4);
  EXPECT_EQ(to_string(check(builder.plan)), "");
  Plan wrong = builder.plan;
  wrong.tasks[5].reads[0] = constant(box("[5:10, 0:5]")); // of the task [0:5, 6:12]
  EXPECT_EQ(to_string(check(wrong)),
            "task 'matmul' at position 5: [plan-region] expected index box [0:5, 6:12] to read "
            "[0:5, 0:5] of 'x', but got [5:10, 0:5]\n"
            "task 'matmul' at position 5: [plan-transfer] expected [5:10, 0:5] of 'x' at worker 1, "
            "but it was neither made nor moved there");
}

TEST(Check, S4LinearInSections) {
  using space::kWhole;
  PlanBuilder builder(4);
  const int64_t x = builder.add_argument("x", {20, 30, 128});
  const int64_t w = builder.add_argument("w", {128, 32});
  const int64_t b = builder.add_argument("b", {32});
  const int64_t y = builder.add_tensor("y", {20, 30, 32});
  space::Signature linear{
      "linear",
      {space::map_dim("i", 20), space::map_dim("j", 30), space::map_dim("n", 32)},
      {{"x", Role::in, {20, 30, 128}, space::axial(3, {0, 1, kWhole}, {20, 30, 128})},
       {"w", Role::in, {128, 32}, space::axial(3, {kWhole, 2}, {128, 32})},
       {"b", Role::in, {32}, space::axial(3, {2}, {32})},
       {"y", Role::out, {20, 30, 32}, space::identity(3)}}};
  const int64_t stage = builder.add_stage({"linear", Work::compute, linear, {x, w, b, y}});
  int64_t worker = 0;
  for (const Box& index : space::split_grid(box("[0:20, 0:30, 0:32]"), {1, 2, 2}))
    builder.run(stage, index, worker++);
  EXPECT_EQ(to_string(check(builder.plan)), "");
  EXPECT_EQ(expand(builder.plan).back().reads,
            (std::vector<Box>{box("[0:20, 15:30, 0:128]"), box("[0:128, 16:32]"), box("[16:32]")}));
}

TEST(Check, V1StageWithoutTasks) {
  EXPECT_EQ(
      to_string(check(product_plan(2, 2, 2, {0, 0}, {}, 1).plan)),
      "stage 'matmul': [plan-partition] expected tasks, but it has none\n"
      "stage 'matmul': [plan-partition] the pieces: expected 4 elements in all, but got 0\n"
      "tensor 'z': [plan-coverage] writes: the pieces: expected 4 elements in all, but got 0");
}

TEST(Check, V4StageThatReadsWhatItWrites) {
  PlanBuilder builder(1);
  const int64_t a = builder.add_tensor("a", {4});
  const int64_t stage = builder.add_stage({"relu", Work::compute, pointwise({4}, false), {a, a}});
  builder.run(stage, box("[0:4]"), 0);
  EXPECT_EQ(to_string(check(builder.plan)),
            "task 'relu' at position 0: [plan-order] expected [0:4] of 'a' at worker 0 before, but "
            "it comes later");
}

/// A pointwise op over 4 elements, cut as told.
Plan pointwise_plan(const std::vector<Box>& boxes) {
  PlanBuilder builder(2);
  const int64_t x = builder.add_argument("x", {4}), z = builder.add_tensor("z", {4});
  const int64_t stage = builder.add_stage({"relu", Work::compute, pointwise({4}, false), {x, z}});
  for (const Box& index : boxes)
    builder.run(stage, index, 0);
  return builder.plan;
}

TEST(Check, V5OverlapAndGapOfEqualVolume) {
  EXPECT_EQ(to_string(check(pointwise_plan({box("[0:2]"), box("[0:1]"), box("[3:4]")}))),
            "stage 'relu': [plan-partition] piece 1: expected disjoint pieces, but [0:2] and [0:1] "
            "overlap\n"
            "tensor 'z': [plan-coverage] writes: piece 1: expected disjoint pieces, but [0:2] and "
            "[0:1] overlap");
}

TEST(Check, V5TensorWrittenByTwoStages) {
  PlanBuilder builder(1);
  const int64_t x = builder.add_argument("x", {4}), z = builder.add_tensor("z", {4});
  for (const char* name : {"relu", "tanh"})
    builder.run(builder.add_stage({name, Work::compute, pointwise({4}, false), {x, z}}),
                box("[0:4]"), 0);
  EXPECT_EQ(
      to_string(check(builder.plan)),
      "tensor 'z': [plan-coverage] writes: piece 1: expected disjoint pieces, but [0:4] and "
      "[0:4] overlap\n"
      "tensor 'z': [plan-coverage] writes: the pieces: expected 4 elements in all, but got 8");
}

/// One input element for each index point, written by the projection [A | 0 | S].
std::string words_of_output(const space::Matrix& matrix, int64_t size, Point extents,
                            int64_t written) {
  PlanBuilder builder(1);
  const int rank = static_cast<int>(extents.size());
  const int64_t x = builder.add_argument("x", extents), z = builder.add_tensor("z", {written});
  space::Signature signature = pointwise(extents, false);
  signature.operands[1].shape = {written};
  signature.operands[1].projection =
      space::projection(space::affine_map(rank, matrix, {0}), {size});
  const int64_t stage = builder.add_stage({"op", Work::compute, signature, {x, z}});
  for (const Box& index : space::split_evenly(Box::of_shape(extents), 0, 3))
    builder.run(stage, index, 0);
  return to_string(check(builder.plan));
}

TEST(Check, V5OutputMaps) {
  EXPECT_EQ(
      words_of_output({{1, 1}}, 1, {2, 2}, 3),
      "stages[1].signature: [plan-structure] operand 'z': expected points that write disjoint "
      "regions, but got [1 1 | 0 | 1]");
  EXPECT_EQ(
      words_of_output({{2}}, 1, {3}, 5),
      "tensor 'z': [plan-coverage] writes: the pieces: expected 5 elements in all, but got 3");
  EXPECT_EQ(words_of_output({{2}}, 2, {3}, 6), "");
}

TEST(Check, ReducedDimsStayWhole) {
  PlanBuilder builder(1);
  const int64_t x = builder.add_argument("x", {8}), s = builder.add_tensor("s", {});
  space::Signature sum{
      "sum",
      {space::reduce_dim("m", 8, {"sum", {DType::f32}})},
      {{"x", Role::in, {8}, space::identity(1)}, {"s", Role::out, {}, space::fixed(1, {}, {})}}};
  const int64_t stage = builder.add_stage({"sum", Work::compute, sum, {x, s}});
  builder.run(stage, box("[0:4]"), 0);
  builder.run(stage, box("[4:8]"), 0);
  const std::string words = to_string(check(builder.plan));
  EXPECT_EQ(words.substr(0, words.find('\n')),
            "stage 'sum': [plan-partition] expected dim 'm' whole, but got [0:4]");
}

TEST(Check, Positions) {
  Plan plan = pointwise_plan({box("[0:2]"), box("[2:4]")});
  plan.tasks[3].position = plan.tasks[2].position;
  EXPECT_EQ(to_string(check(plan)),
            "task 'relu' at position 2: [plan-order] expected a position of its own, but there is "
            "task 'load x' at position 2");
}

/// Four terms of z[0:2] on two workers, merged two by two, then all at worker 0.
PlanBuilder merge_plan() {
  PlanBuilder builder(2);
  const int64_t x = builder.add_argument("x", {1, 4}), w = builder.add_argument("w", {4, 2});
  const int64_t p = builder.add_tensor("p", {4, 1, 2}), z = builder.add_tensor("z", {1, 2});
  builder.plan.tensors[p].partial_of = z;
  builder.plan.tensors[z].results = {0};
  const int64_t stage =
      builder.add_stage({"matmul", Work::compute, partial_matmul(1, 4, 1, 2), {x, w, p}});
  const int64_t inner = builder.add_stage({"merge", Work::merge, {}, {p, p}});
  builder.add_stage({"merged", Work::merge, {}, {p, z}});
  for (int64_t k = 0; k < 4; ++k)
    builder.run(stage, Box({k, 0, 0}, {k + 1, 1, 2}), k / 2);
  auto add = [&](int64_t piece, int64_t worker, std::vector<Boxes> reads, Box write) {
    const auto position = static_cast<int64_t>(builder.plan.tasks.size()) + 1;
    builder.plan.tasks.push_back({piece,
                                  {},
                                  constant(position),
                                  constant(worker),
                                  {},
                                  std::move(reads),
                                  {constant(write)},
                                  {}});
  };
  add(inner, 0, {constant(box("[0:1, 0:1, 0:2]")), constant(box("[1:2, 0:1, 0:2]"))},
      box("[0:2, 0:1, 0:2]"));
  add(inner, 1, {constant(box("[2:3, 0:1, 0:2]")), constant(box("[3:4, 0:1, 0:2]"))},
      box("[2:4, 0:1, 0:2]"));
  const auto position = static_cast<int64_t>(builder.plan.tasks.size()) + 1;
  builder.plan.moves.push_back(
      {p, {}, constant(position), constant(1), constant(0), constant(box("[2:4, 0:1, 0:2]"))});
  add(inner + 1, 0, {constant(box("[0:2, 0:1, 0:2]")), constant(box("[2:4, 0:1, 0:2]"))},
      box("[0:1, 0:2]"));
  builder.plan.tasks.back().position.first += 1;
  return builder;
}

TEST(Check, Merges) {
  const Plan plan = merge_plan().plan;
  EXPECT_EQ(to_string(check(plan)), "");
  Plan swapped = plan;
  std::swap(swapped.tasks.back().reads[0], swapped.tasks.back().reads[1]);
  EXPECT_EQ(to_string(check(swapped)),
            "task 'merged' at position 16: [plan-merge] expected neighbouring terms of the same "
            "elements, but got [0:2, 0:1, 0:2] after terms up to 4\n"
            "task 'merged' at position 16: [plan-merge] expected all 4 terms, but got 2:2");
  Plan half = plan;
  half.tasks.back().reads.pop_back();
  EXPECT_EQ(to_string(check(half)),
            "task 'merged' at position 16: [plan-merge] expected all 4 terms, but got 0:2\n"
            "tensor 'p': [plan-merge] expected the sums of terms 2:4 to be merged, 2 elements, but "
            "got 0\n"
            "transfer of 'p' at position 15: [plan-transfer] expected a reader of [2:4, 0:1, 0:2] "
            "at worker 0, but there is none");
}

TEST(Check, TermsTwice) {
  Plan plan = merge_plan().plan;
  plan.tasks[plan.tasks.size() - 2].reads[0] = constant(box("[1:2, 0:1, 0:2]"));
  const std::string words = to_string(check(plan));
  EXPECT_NE(words.find("expected the sums of terms 1:2 to be merged once, but [0:1, 0:2] and "
                       "[0:1, 0:2] overlap"),
            std::string::npos)
      << words;
}

TEST(Check, Transfers) {
  Plan plan = merge_plan().plan;
  plan.moves[0].from = constant(0);
  EXPECT_EQ(
      to_string(check(plan)),
      "transfer of 'p' at position 15: [plan-order] expected [2:4, 0:1, 0:2] of 'p' at "
      "worker 0 before, but it comes later\n"
      "transfer of 'p' at position 15: [plan-transfer] expected two workers, but got 0 twice");
}

TEST(Check, Memory) {
  Plan plan = pointwise_plan({box("[0:2]"), box("[2:4]")}); // blocks of 8 bytes, a read, a write
  plan.memory_per_worker = 16;
  EXPECT_EQ(to_string(check(plan)), "");
  plan.memory_per_worker = 15;
  EXPECT_EQ(
      to_string(check(plan)),
      "worker 0: [plan-memory] expected at most 15 bytes, but task 'relu' at position 1 needs "
      "16");
  plan.memory_per_worker = 16;
  plan.tensors[1].results = {0};
  EXPECT_EQ(to_string(check(plan)), "");
  plan.keeps_results = true;
  EXPECT_EQ(
      to_string(check(plan)),
      "worker 0: [plan-memory] expected at most 16 bytes, but task 'relu' at position 3 needs "
      "24");
}

TEST(Check, AtMostAHundred) {
  Plan plan = pointwise_plan({box("[0:4]")});
  plan.tasks.insert(plan.tasks.end(), 1000, plan.tasks.back());
  EXPECT_EQ(check(plan).size(), 100u);
}

TEST(CheckProperty, RandomPlansAreSound) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    Plan plan = random_plan(random);
    ASSERT_EQ(to_string(check(plan)), "") << "seed " << seed;
    plan.tasks = folded(plan.tasks);
    plan.moves = folded(plan.moves);
    ASSERT_EQ(to_string(check(plan)), "") << "seed " << seed;
  }
}

TEST(Check, ManyTasks) {
  Plan plan = pointwise_plan({});
  plan.tensors[0].shape = plan.tensors[1].shape = {200000};
  plan.stages[1].signature = pointwise({200000}, false);
  for (int64_t stage : {0, 1}) {
    Family tasks = pointwise_plan({box("[0:4]")}).tasks[stage];
    tasks.counts = {100000};
    tasks.position = {stage, {2}};
    tasks.worker.steps = {0};
    for (std::vector<Boxes>* boxes : {&tasks.reads, &tasks.writes})
      for (Boxes& each : *boxes)
        each = {{{0, {2}}}, {2}};
    if (stage == 1)
      tasks.index = {{{0, {2}}}, {2}}, tasks.offsets = {};
    plan.tasks.push_back(tasks);
  }
  EXPECT_EQ(to_string(check(plan)), "");
}

} // namespace
} // namespace kolam::plans
