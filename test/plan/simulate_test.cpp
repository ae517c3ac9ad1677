// Simulated plans against times that were computed by hand.
#include "kolam/plan/simulate.h"

#include <gtest/gtest.h>

#include "kolam/plan/blocks.h"
#include "kolam/plan/check.h"
#include "test/plan/random_plan.h"
#include "test/runtime/expect_error.h"
#include "test/space/random_space.h"

namespace kolam::plans {
namespace {

/// A task takes 1 s of overhead and 1 s of flops; 8 bytes a second between two workers of a pair,
/// 4 between pairs, a latency of 0.5 s.
Machine machine() { return {4, 1000, 1e9, 0, {{2, 8, 0.5}, {4, 4, 0.5}}, 1}; }

/// y = relu(x), z = tanh(y), each in `parts` equal parts; relu on the workers `first`, tanh on
/// `second`. Every part has 16 bytes.
Plan two_steps(const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
  PlanBuilder builder(4);
  const auto parts = static_cast<int64_t>(first.size());
  const int64_t x = builder.add_argument("x", {4 * parts}),
                y = builder.add_tensor("y", {4 * parts});
  const int64_t z = builder.add_tensor("z", {4 * parts});
  const space::Signature signature = pointwise({4 * parts}, false);
  const int64_t relu = builder.add_stage({"relu", Work::compute, signature, {x, y}});
  const int64_t tanh = builder.add_stage({"tanh", Work::compute, signature, {y, z}});
  auto part = [](int64_t i) { return Box({4 * i}, {4 * i + 4}); };
  for (int64_t i = 0; i < parts; ++i)
    builder.run(relu, part(i), first[i]);
  for (int64_t i = 0; i < parts; ++i)
    builder.run(tanh, part(i), second[i]);
  return builder.plan;
}

TEST(Simulate, TasksOfAWorkerFollowOneAnother) {
  const Simulated one = simulate(two_steps({0}, {0}), machine());
  EXPECT_EQ(one.time, 4);
  EXPECT_EQ(one.busy, (std::vector<double>{4, 0, 0, 0}));
  EXPECT_EQ(one.peak_memory, (std::vector<int64_t>{32, 0, 0, 0})); // what is read and written
  EXPECT_EQ(simulate(two_steps({0, 1}, {0, 1}), machine()).time, 4);
  Machine slow = machine();
  slow.memory_bandwidth = 1000; // 4 s for 4000 bytes
  EXPECT_EQ(simulate(two_steps({0}, {0}), slow).time, 10);
}

TEST(Simulate, TransferTakesLatencyAndBytes) {
  const Simulated near = simulate(two_steps({0}, {1}), machine(), Timeline::kept);
  EXPECT_EQ(near.time, 2 + 2.5 + 2);
  EXPECT_EQ(near.bytes_in, (std::vector<int64_t>{0, 16, 0, 0}));
  EXPECT_EQ(
      near.timeline,
      (std::vector<Span>{{0, 0, 2, 1, false}, {1, 2, 4.5, 0, true}, {1, 4.5, 6.5, 2, false}}));
  EXPECT_EQ(simulate(two_steps({0}, {2}), machine()).time, 2 + 4.5 + 2);
}

TEST(Simulate, PortsAreFreeWhileBytesFly) {
  // Parts at 2 and 4 s, 2 s on the port: the second follows without a wait for the latency.
  EXPECT_EQ(simulate(two_steps({0, 0}, {1, 1}), machine()).time, 4 + 2.5 + 2);
  Machine slow = machine();
  slow.levels[0].bandwidth = 4; // 4 s on the port: sent at 2 and 6
  EXPECT_EQ(simulate(two_steps({0, 0}, {1, 1}), slow).time, 6 + 4.5 + 2);
}

TEST(Simulate, PortsInAndOut) {
  // Into worker 1 from 2 and 3: one after the other on its port between pairs.
  EXPECT_EQ(simulate(two_steps({2, 3}, {1, 1}), machine()).time, 2 + 4 + 4.5 + 2);
  // From 0, within its pair and out of it: ports of two levels, at once.
  const Simulated both = simulate(two_steps({0, 0}, {2, 1}), machine(), Timeline::kept);
  EXPECT_EQ(both.time, 4 + 2.5 + 2);
  EXPECT_EQ(both.timeline[1], (Span{2, 2, 6.5, 0, true}));
  // An exchange: in and out are apart.
  EXPECT_EQ(simulate(two_steps({0, 1}, {1, 0}), machine()).time, 2 + 2.5 + 2);
}

TEST(Simulate, LeastPositionFirst) {
  // 2 and 3 finish at once; the transfer of the first part has the lesser position.
  const Simulated result = simulate(two_steps({3, 2}, {1, 1}), machine(), Timeline::kept);
  EXPECT_EQ(result.timeline[2].family, 0);
  EXPECT_EQ(result.timeline[2].start, 2);
  EXPECT_EQ(result.timeline[3].start, 6);
}

TEST(Simulate, MemoryIsWaitedFor) {
  // Into worker 1: from 0 at 2 to 4.5, from 2 and 3 at 2 to 6.5 and at 6 to 10.5, then 2 s.
  Plan plan = two_steps({0, 2, 3}, {1, 1, 1});
  EXPECT_EQ(simulate(plan, machine()).time, 12.5);
  plan.memory_per_worker = 32; // a part that is read and one that is written
  ASSERT_EQ(to_string(check(plan)), "");
  // A part leaves its worker when the one before it is done, at 2, 6.5 and 13.
  const Simulated scarce = simulate(plan, machine());
  EXPECT_EQ(scarce.time, 13 + 4.5 + 2);
  EXPECT_EQ(scarce.peak_memory, (std::vector<int64_t>{32, 32, 32, 32}));
  plan.memory_per_worker = 64; // two parts before their turn
  EXPECT_EQ(simulate(plan, machine()).time, 12.5);
  plan.memory_per_worker = 0;
  Machine small = machine();
  small.memory = 32;
  EXPECT_EQ(simulate(plan, small).time, 19.5);
}

TEST(Simulate, LoadsComeWhenTheTasksBeforeThemHaveStarted) {
  Plan plan = two_steps({0, 0, 0}, {0, 0, 0});
  EXPECT_EQ(simulate(plan, machine()).peak_memory[0], 64); // two y, and x and y of the third part
  plan.memory_per_worker = 64;
  EXPECT_EQ(simulate(plan, machine()).time, 12);
}

TEST(Simulate, Stuck) {
  Plan plan = two_steps({0}, {1});
  Machine small = machine();
  small.memory = 20;
  EXPECT_EQ(error_of([&] { simulate(plan, small); }).message(),
            "expected memory for task 'relu' at position 1, but worker 0 has 20 bytes");
  plan.moves.clear();
  EXPECT_EQ(error_of([&] { simulate(plan, machine()); }).message(),
            "expected what task 'tanh' at position 3 reads to be there, but it is not made before");
  plan = two_steps({0}, {1});
  plan.moves[0].to = plan.moves[0].from;
  EXPECT_EQ(error_of([&] { simulate(plan, machine()); }).slug(), "plan-stuck");
}

TEST(Simulate, BrokenPlansAndSmallMachines) {
  Plan plan = two_steps({0}, {1});
  Machine small = machine();
  small.workers = 3;
  EXPECT_EQ(error_of([&] { simulate(plan, small); }).message(),
            "expected a machine of at least 4 workers, as the plan has, but got 3");
  small.flops = 0;
  EXPECT_EQ(error_of([&] { simulate(plan, small); }).slug(), "bad-machine");
  plan.tasks[0].piece = 9;
  EXPECT_EQ(error_of([&] { simulate(plan, machine()); }).slug(), "plan-structure");
}

/// The longest way through a plan without links that cost anything.
double busiest(const Simulated& result) {
  return *std::max_element(result.busy.begin(), result.busy.end());
}

TEST(SimulateProperty, SoundPlansEndWithinTheirMemory) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    Plan plan = random_plan(random);
    const Simulated free = simulate(plan, machine(), Timeline::kept);
    ASSERT_GE(free.time, busiest(free)) << "seed " << seed;
    const std::vector<Event> events = expand(plan);
    for (const Peak& peak : peaks_in_order(plan, events, find_blocks(plan, events)))
      plan.memory_per_worker = std::max(plan.memory_per_worker, peak.bytes);
    ASSERT_EQ(to_string(check(plan)), "") << "seed " << seed;
    const Simulated tight = simulate(plan, machine());
    for (int64_t bytes : tight.peak_memory)
      ASSERT_LE(bytes, plan.memory_per_worker) << "seed " << seed;
    ASSERT_EQ(tight.busy, free.busy) << "seed " << seed;
    ASSERT_EQ(tight.bytes_in, free.bytes_in) << "seed " << seed;
    plan.memory_per_worker *= 100;
    ASSERT_EQ(simulate(plan, machine()).time, free.time) << "seed " << seed;
  }
}

} // namespace
} // namespace kolam::plans
