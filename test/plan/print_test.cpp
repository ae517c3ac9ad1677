// Plans as text.
#include "kolam/plan/print.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kolam/plan/expand.h"
#include "test/plan/random_plan.h"
#include "test/space/random_space.h"

namespace kolam::plans {
namespace {

/// z = relu(x) of 8 elements on 4 workers, then y = tanh(z) on one.
Plan small_plan() {
  PlanBuilder builder(4);
  const int64_t x = builder.add_argument("x", {8}), z = builder.add_tensor("z", {8});
  const int64_t y = builder.add_tensor("y", {8});
  builder.plan.tensors[y].results = {0};
  const int64_t relu = builder.add_stage({"relu", Work::compute, pointwise({8}, false), {x, z}});
  const int64_t tanh = builder.add_stage({"tanh", Work::compute, pointwise({8}, false), {z, y}});
  for (int64_t i = 0; i < 4; ++i)
    builder.run(relu, Box({2 * i}, {2 * i + 2}), i);
  builder.run(tanh, Box({0}, {8}), 0);
  Plan& plan = builder.plan;
  plan.version = "0.1.0";
  plan.program = "f00d";
  plan.memory_per_worker = 1 << 20;
  plan.cost = {{"time", 0.25}};
  plan.trace = {{"cut", "relu", {{"axis", "0"}}, true}};
  std::sort(plan.tasks.begin(), plan.tasks.end(), [](const Family& a, const Family& b) {
    return std::make_pair(a.piece, a.position.first) < std::make_pair(b.piece, b.position.first);
  });
  plan.tasks = folded(plan.tasks);
  plan.moves = folded(plan.moves);
  return plan;
}

TEST(PlanPrint, AllOfIt) {
  EXPECT_EQ(to_string(small_plan()),
            R"(plan of f00d, kolam 0.1.0: 4 workers with 1048576 bytes each
  time 0.25
choices
  cut of relu, axis 0
tensors
  x float32 (8), argument 0
  z float32 (8)
  y float32 (8), result 0
stages
  load load x: x
  compute relu: x, z
    relu
      dim d0: map 8
      in x [8]: [1 | 0 | 1]
      out z [8]: [1 | 0 | 1]
  compute tanh: z, y
    relu
      dim d0: map 8
      in x [8]: [1 | 0 | 1]
      out z [8]: [1 | 0 | 1]
pieces
  0 of load x: 1000 flops, 4000 bytes
  1 of relu: 1000 flops, 4000 bytes, 1 lines
  2 of tanh: 1000 flops, 4000 bytes, 1 lines
tasks
  load x for (i) < (4): piece 0 at 2 i, worker i
    writes x [2 i:+2]
  relu for (i) < (4): piece 1 at 2 i + 1, worker i, index [2 i:+2]
    reads x [2 i:+2]
    writes z [2 i:+2]
    offsets 2 i
  tanh: piece 2 at 11, worker 0, index [0:+8]
    reads z [0:+8]
    writes y [0:+8]
    offsets 0
transfers
  z for (i) < (3): at i + 8, worker i + 1 to 0, [2 i + 2:+2]
workers
  0: 3 tasks, 6 blocks, 48 bytes made, 24 moved in, at most 64 held
  1 to 3: 2 tasks, 2 blocks, 16 bytes made, 0 moved in, at most 16 held
)");
}

TEST(PlanPrint, Numbers) {
  Plan plan;
  Moves moves;
  moves.counts = {2, 3, 4, 5, 6, 7, 8};
  moves.position = {-3, {-1, 1, 0, -2, 4, 0, 1}};
  moves.from = {0, {}};
  moves.to = {-5, {}};
  plan.moves = {moves};
  EXPECT_EQ(to_string(plan),
            "plan of , kolam : 1 workers\n"
            "transfers\n"
            "  ? for (i, j, k, l, m, n, d6) < (2, 3, 4, 5, 6, 7, 8): at -i + j - 2 "
            "l + 4 m + d6 - 3, worker 0 to -5, []\n");
}

TEST(PlanPrintProperty, BrokenPlansPrint) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    Plan plan = random_plan(random);
    const int64_t numbers[] = {-1, INT64_MIN, INT64_MAX, 99};
    auto number = [&] { return numbers[random() % 4]; };
    plan.tasks[random() % plan.tasks.size()].piece = number();
    plan.pieces[random() % plan.pieces.size()].stage = number();
    Stage& stage = plan.stages[random() % plan.stages.size()];
    if (random() % 2)
      stage.tensors.pop_back();
    else
      stage.tensors[0] = number();
    plan.tasks.back().writes[0].extent.clear();
    EXPECT_FALSE(to_string(plan).empty()) << "seed " << seed;
  }
}

} // namespace
} // namespace kolam::plans
