// Offsets of arena buffers by brute force: what is alive together does not overlap.
#include "kolam/nest/buffers.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace kolam::nest {
namespace {

/// Buffers with the times at which they are used, inside nested loops.
struct Plan {
  std::vector<BufferPlan> buffers;
  std::vector<Lifetime> lifetimes;
  std::vector<LoopRange> loops;
  std::vector<std::pair<int, int>> exchanged;
};

/// The times at which a buffer must keep its content: from first to last use and, where it is used
/// inside a loop that starts after its first use, to the loop's end, again and again.
std::set<int64_t> alive(const Plan& plan, size_t buffer) {
  auto [first, last] = plan.lifetimes[buffer];
  for (bool grown = true; grown;) {
    grown = false;
    for (const LoopRange& loop : plan.loops)
      if (first < loop.first && loop.first <= last && last < loop.last) {
        last = loop.last;
        grown = true;
      }
  }
  std::set<int64_t> times;
  for (int64_t time = first; time <= last && first >= 0; ++time)
    times.insert(time);
  return times;
}

bool meet(const std::set<int64_t>& a, const std::set<int64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](int64_t time) { return b.contains(time); });
}

void expect_disjoint(Plan plan, const std::map<std::string, int64_t>& sizes) {
  int64_t total =
      assign_offsets(plan.buffers, plan.lifetimes, plan.loops, plan.exchanged).evaluate(sizes);
  size_t count = plan.buffers.size();
  std::vector<std::set<int64_t>> times;
  for (size_t i = 0; i < count; ++i)
    times.push_back(alive(plan, i));
  // A swap gives a buffer the other's memory: both places hold what either holds.
  for (auto [a, b] : plan.exchanged) {
    times[a].insert(times[b].begin(), times[b].end());
    times[b] = times[a];
  }
  auto span = [&](size_t i) {
    int64_t offset = plan.buffers[i].offset.evaluate(sizes);
    int64_t bytes =
        element_count(plan.buffers[i].shape).evaluate(sizes) * byte_width(plan.buffers[i].dtype);
    return std::pair(offset, offset + bytes);
  };
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(span(i).first % 64, 0);
    EXPECT_LE(span(i).second, total);
    for (size_t j = 0; j < i; ++j)
      if (meet(times[i], times[j])) {
        EXPECT_TRUE(span(i).second <= span(j).first || span(j).second <= span(i).first ||
                    span(i).first == span(i).second || span(j).first == span(j).second)
            << "buffers " << j << " and " << i;
      }
  }
}

/// Loops that nest or follow one another, as a tree of steps gives them.
void add_loops(std::mt19937& random, int64_t first, int64_t last, std::vector<LoopRange>& loops) {
  if (last - first < 2 || loops.size() > 6)
    return;
  int64_t a = std::uniform_int_distribution<int64_t>(first, last)(random);
  int64_t b = std::uniform_int_distribution<int64_t>(first, last)(random);
  if (a == b)
    return;
  loops.push_back({std::min(a, b), std::max(a, b)});
  add_loops(random, std::min(a, b) + 1, std::max(a, b) - 1, loops);
  add_loops(random, std::max(a, b) + 1, last, loops);
}

Plan random_plan(std::mt19937& random) {
  Plan plan;
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  add_loops(random, 1, 18, plan.loops);
  int64_t count = pick(1, 12);
  for (int64_t i = 0; i < count; ++i) {
    Extent extent = pick(0, 4) == 0 ? Extent::symbol(pick(0, 1) ? "n" : "m") : Extent(pick(0, 90));
    plan.buffers.push_back({DType::f32, {extent}, Place::arena, 0, {}});
    int64_t a = pick(0, 20), b = pick(0, 20);
    plan.lifetimes.push_back({std::min(a, b), std::max(a, b)});
  }
  for (int i = 0; i + 1 < count; i += 2)
    if (pick(0, 3) == 0) {
      plan.buffers[i + 1].shape = plan.buffers[i].shape;
      plan.exchanged.push_back({i, i + 1});
    }
  return plan;
}

TEST(AssignOffsets, KeepsLiveBuffersApart) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Plan plan = random_plan(random);
    expect_disjoint(plan, {{"n", 0}, {"m", 40}});
    expect_disjoint(plan, {{"n", 100}, {"m", 1}});
  }
}

TEST(AssignOffsets, SharesMemoryOverTime) {
  Plan plan;
  for (int64_t i = 0; i < 3; ++i) {
    plan.buffers.push_back({DType::f32, {Extent(16)}, Place::arena, 0, {}});
    plan.lifetimes.push_back({i, i + 1});
  }
  EXPECT_EQ(assign_offsets(plan.buffers, plan.lifetimes, {}, {}), Extent(128));
  EXPECT_EQ(plan.buffers[2].offset, Extent(0));
}

TEST(AssignOffsets, KeepsWhatALoopReadsEachTurn) {
  // Buffer 0 is made before the loop [2, 6] and read in it at 3; buffer 1 is made later in the
  // loop.
  Plan plan;
  for (Lifetime life : {Lifetime{0, 3}, Lifetime{4, 5}}) {
    plan.buffers.push_back({DType::f32, {Extent(16)}, Place::arena, 0, {}});
    plan.lifetimes.push_back(life);
  }
  EXPECT_EQ(assign_offsets(plan.buffers, plan.lifetimes, {{2, 6}}, {}), Extent(128));
}

} // namespace
} // namespace kolam::nest
