// Blocks while a plan is written.
#include "kolam/planner/blocks.h"

#include <gtest/gtest.h>

namespace kolam::planner {
namespace {

using space::Box;

TEST(Blocks, MeetingAndMissing) {
  Blocks blocks;
  blocks.add_tensor();
  blocks.add(0, Box({0, 0}, {2, 4}), 1);
  blocks.add(0, Box({2, 0}, {4, 2}), 0);
  std::vector<size_t> met;
  blocks.for_each_meeting(0, Box({1, 0}, {3, 1}), [&](size_t block) { met.push_back(block); });
  EXPECT_EQ(met, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(blocks.missing(0, Box({0, 0}, {4, 4})), (std::vector<Box>{Box({2, 2}, {4, 4})}));
}

TEST(Blocks, AWorkerReceivesABoxOnce) {
  Blocks blocks;
  blocks.add_tensor();
  EXPECT_TRUE(blocks.receive(0, Box({0}, {4}), 1));
  EXPECT_FALSE(blocks.receive(0, Box({1}, {3}), 1));
  EXPECT_TRUE(blocks.receive(0, Box({1}, {5}), 1));
  EXPECT_TRUE(blocks.receive(0, Box({0}, {4}), 2));
}

TEST(Blocks, WithoutLeavesDisjointBoxes) {
  const Box whole({0, 0}, {4, 4}), hole({1, 1}, {2, 3});
  int64_t left = 0;
  for (const Box& box : without(whole, hole)) {
    EXPECT_TRUE(space::is_empty(space::intersect(box, hole)));
    left += space::size(box);
  }
  EXPECT_EQ(left, 14);
  EXPECT_EQ(without(whole, Box({4, 4}, {5, 5})), (std::vector<Box>{whole}));
}

TEST(Blocks, SlicesShareABoxEvenly) {
  EXPECT_EQ(slices_of(Box({0, 0}, {2, 9}), 3).size(), 3U);
  EXPECT_EQ(slices_of(Box({0, 0}, {2, 2}), 4).size(), 4U); // along both dims
  EXPECT_EQ(slices_of(Box(), 3).size(), 1U);
  EXPECT_EQ(slices_of(Box({0}, {2}), 3).size(), 1U); // fewer elements than slices, and no divisor
}

} // namespace
} // namespace kolam::planner
