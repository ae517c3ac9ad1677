// Families to tasks and back.
#include "kolam/plan/expand.h"

#include <gtest/gtest.h>

#include "test/plan/random_plan.h"
#include "test/space/random_space.h"

namespace kolam::plans {
namespace {

/// Task (i, j) of 2 x 3 on a grid: rows on workers.
Family grid_task(int64_t i, int64_t j) {
  Family task;
  task.position = constant(10 * i + j);
  task.worker = constant(i);
  task.index = constant(Box({4 * i, 2 * j}, {4 * i + 4, 2 * j + 2}));
  task.reads = {task.index};
  task.writes = {task.index};
  task.offsets = {constant(4 * i), constant(2 * j)};
  return task;
}

std::vector<Family> grid_tasks() {
  std::vector<Family> tasks;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j)
      tasks.push_back(grid_task(i, j));
  return tasks;
}

TEST(Expand, FamiliesByPosition) {
  Plan plan;
  plan.tasks = folded(grid_tasks());
  ASSERT_EQ(plan.tasks.size(), 1u);
  EXPECT_EQ(plan.tasks[0].counts, (Point{2, 3}));
  EXPECT_EQ(plan.tasks[0].position, (Affine{0, {10, 1}}));
  EXPECT_EQ(plan.tasks[0].index.start[0], (Affine{0, {4, 0}}));
  plan.moves.push_back({7, {2}, {5, {-2}}, constant(0), constant(1), constant(Box({0}, {2}))});
  plan.moves[0].from.steps = plan.moves[0].to.steps = plan.moves[0].box.start[0].steps = {0};
  std::vector<int64_t> positions;
  for (const Event& event : expand(plan))
    positions.push_back(event.position);
  EXPECT_EQ(positions, (std::vector<int64_t>{0, 1, 2, 3, 5, 10, 11, 12}));
  const std::vector<Event> events = expand(plan);
  EXPECT_EQ(events[6].index, Box({4, 2}, {8, 4}));
  EXPECT_EQ(events[6].offsets, (Point{4, 2}));
  EXPECT_EQ(events[3].writes, std::vector<Box>{Box({0}, {2})});
  EXPECT_TRUE(events[3].is_move);
  EXPECT_EQ(events[3].worker, 1);
}

TEST(Fold, OnlyEqualSteps) {
  std::vector<Family> tasks = grid_tasks();
  tasks[1].reads[0].extent[0] = 3;
  EXPECT_EQ(folded(tasks).size(), 4u);
  tasks = grid_tasks();
  tasks[4].worker.first = 7;
  EXPECT_EQ(folded(tasks).size(), 3u);
  tasks.clear();
  for (int64_t first : {INT64_MIN, INT64_MAX})
    tasks.push_back(grid_task(0, 0)), tasks.back().offsets[0].first = first;
  EXPECT_EQ(folded(tasks).size(), 2u); // the step is no number of 64 bits
  EXPECT_TRUE(folded(std::vector<Family>{}).empty());
}

/// The same events apart from the number of their family.
std::vector<Event> without_families(std::vector<Event> events) {
  for (Event& event : events)
    event.family = 0;
  return events;
}

TEST(FoldProperty, ExpandsToTheSameTasks) {
  size_t before = 0, after = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const Plan plan = random_plan(random);
    Plan folded_plan = plan;
    folded_plan.tasks = folded(plan.tasks);
    folded_plan.moves = folded(plan.moves);
    ASSERT_EQ(without_families(expand(folded_plan)), without_families(expand(plan)))
        << "seed " << seed;
    before += plan.tasks.size();
    after += folded_plan.tasks.size();
  }
  EXPECT_LT(after, before);
}

TEST(Expand, ManyTasks) {
  Plan plan;
  Family family = grid_task(0, 0);
  family.counts = {1000, 1000};
  for (Affine* number : {&family.position, &family.worker, family.index.start.data()})
    number->steps = {1000, 1};
  family.index.start[1].steps = family.offsets[0].steps = family.offsets[1].steps = {0, 0};
  family.reads = {family.index, family.index};
  family.writes = {family.index};
  plan.tasks = {family};
  const std::vector<Event> events = expand(plan);
  ASSERT_EQ(events.size(), 1000000u);
  EXPECT_EQ(events[999999].position, 999999);
}

TEST(Expand, TooLarge) {
  Plan plan;
  plan.tasks.resize(2);
  plan.tasks[0].counts = {INT64_MAX, INT64_MAX};
  EXPECT_EQ(space::slug_of([&] { expand(plan); }), "plan-too-large");
  plan.tasks[0].counts = {int64_t{1} << 24};
  EXPECT_EQ(too_large(plan), "expected at most 16777216 tasks and transfers, but got more");
  plan.tasks[0].counts = {int64_t{1} << 22};
  plan.tasks[0].reads.assign(100, Boxes{});
  EXPECT_EQ(too_large(plan), "expected boxes with at most 268435456 ranges in all, but got more");
  plan.tasks[0].counts = {};
  EXPECT_EQ(too_large(plan), "");
}

} // namespace
} // namespace kolam::plans
