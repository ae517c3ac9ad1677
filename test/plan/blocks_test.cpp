// Who reads which block, and until when blocks are held.
#include "kolam/plan/blocks.h"

#include <gtest/gtest.h>

#include "test/plan/random_plan.h"
#include "test/space/random_space.h"

namespace kolam::plans {
namespace {

Box box(std::string_view text) { return *space::parse_box(text); }

std::vector<size_t> used_by(const BlockTable& table, size_t event) {
  return {table.used.begin() + static_cast<std::ptrdiff_t>(table.first_used[event]),
          table.used.begin() + static_cast<std::ptrdiff_t>(table.first_used[event + 1])};
}

/// x is loaded at worker 0; its second half goes to worker 1, which reads it.
Plan half_plan() {
  PlanBuilder builder(2);
  const int64_t x = builder.add_argument("x", {8}), y = builder.add_tensor("y", {8});
  const int64_t z = builder.add_tensor("z", {8});
  const int64_t first = builder.add_stage({"relu", Work::compute, pointwise({8}, false), {x, y}});
  const int64_t second = builder.add_stage({"tanh", Work::compute, pointwise({8}, false), {y, z}});
  builder.run(first, box("[0:4]"), 0);
  builder.run(first, box("[4:8]"), 0);
  builder.run(second, box("[2:8]"), 1);
  builder.run(second, box("[0:2]"), 0);
  return builder.plan;
}

TEST(Blocks, UsesAndLastUses) {
  const Plan plan = half_plan();
  const std::vector<Event> events = expand(plan);
  const BlockTable table = find_blocks(plan, events);
  EXPECT_TRUE(table.missing.empty());
  // load, relu, load, relu, transfers of [2:4] and [4:8], tanh at 1, tanh at 0
  ASSERT_EQ(events.size(), 8u);
  ASSERT_EQ(table.blocks.size(), 8u);
  EXPECT_EQ(table.blocks[4], (Block{1, 1, box("[2:4]"), 8, 4, 6}));
  EXPECT_EQ(used_by(table, 4), std::vector<size_t>{1});
  EXPECT_EQ(used_by(table, 6), (std::vector<size_t>{4, 5}));
  EXPECT_EQ(used_by(table, 7), std::vector<size_t>{1});
  EXPECT_EQ(table.blocks[1].last_use, 7);
  EXPECT_EQ(table.blocks[7].last_use, -1);
  EXPECT_EQ(name_of(plan, events[4]), "transfer of 'y' at position 4");
  EXPECT_EQ(name_of(plan, events[7]), "task 'tanh' at position 7");
}

TEST(Blocks, TheLatestThatContainsARead) {
  Plan plan = half_plan();
  // All of y comes to worker 1 once more, after its two parts.
  plan.moves.push_back(plan.moves[1]);
  plan.moves[2].position = constant(100);
  plan.moves[2].box = constant(box("[2:8]"));
  plan.tasks[4].position = constant(101);
  const BlockTable table = find_blocks(plan, expand(plan));
  ASSERT_TRUE(table.missing.empty());
  EXPECT_EQ(table.blocks[7].box, box("[2:8]"));
  EXPECT_EQ(table.blocks[7].last_use, 8);
  EXPECT_EQ(table.blocks[4].last_use, -1);
}

TEST(Blocks, ABoxThatComesAgainIsHeldApart) {
  Plan plan = half_plan();
  // The first half of x is loaded once more for a second reader, the last one.
  plan.tasks.push_back(plan.tasks[0]);
  plan.tasks[6].position = constant(50);
  plan.tasks.push_back(plan.tasks[1]);
  plan.tasks[7].position = constant(51);
  const BlockTable table = find_blocks(plan, expand(plan));
  EXPECT_EQ(table.blocks[0].last_use, 1);
  EXPECT_EQ(table.blocks[8].last_use, 9);
}

TEST(Blocks, MissingReads) {
  Plan plan = half_plan();
  plan.moves[0].position = constant(100);
  plan.moves[1].box = constant(box("[5:8]"));
  const BlockTable table = find_blocks(plan, expand(plan));
  ASSERT_EQ(table.missing.size(), 1u);
  EXPECT_EQ(table.missing[0].event, 5);
  EXPECT_FALSE(table.missing[0].comes_later); // [4:5] never comes
  plan.moves[1].box = constant(box("[4:8]"));
  EXPECT_TRUE(find_blocks(plan, expand(plan)).missing.at(0).comes_later);
}

TEST(Blocks, SumsOfOtherTermsAreOtherBlocks) {
  std::mt19937 random(0);
  Plan plan;
  for (uint32_t seed = 0; plan.moves.empty() || plan.tensors.size() < 4; ++seed) {
    random.seed(seed);
    plan = random_plan(random);
  }
  const std::vector<Event> events = expand(plan);
  const BlockTable table = find_blocks(plan, events);
  for (size_t e = 0; e < events.size(); ++e)
    for (size_t block : used_by(table, e)) {
      const Block& used = table.blocks[block];
      EXPECT_LT(used.made_by, static_cast<int64_t>(e));
      EXPECT_GE(used.last_use, static_cast<int64_t>(e));
      EXPECT_EQ(used.worker, events[e].is_move ? events[e].from : events[e].worker);
    }
}

} // namespace
} // namespace kolam::plans
