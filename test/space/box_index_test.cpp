// Indices over boxes, each answer against a look at all pairs.
#include "kolam/space/box_index.h"

#include <gtest/gtest.h>

#include "kolam/space/partition.h"
#include "test/space/random_space.h"

namespace kolam::space {
namespace {

Box box(std::string_view text) { return *parse_box(text); }

TEST(BoxIndex, FindsWhatMeetsAQuery) {
  const BoxIndex index(
      {box("[0:2, 0:2]"), box("[2:4, 0:2]"), box("[1:1, 0:9]"), box("[0:4, 2:4]")});
  EXPECT_EQ(index.meeting(box("[1:3, 1:2]")), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(index.meeting(box("[0:9, 0:9]")), (std::vector<size_t>{0, 1, 3}));
  EXPECT_EQ(index.meeting(box("[1:1, 0:9]")), std::vector<size_t>{});
  EXPECT_EQ(BoxIndex().meeting(box("[0:9]")), std::vector<size_t>{});
  EXPECT_EQ(slug_of([&] { (void)index.meeting(box("[0:1]")); }), "space-rank");
  EXPECT_EQ(slug_of([] { BoxIndex({box("[0:1]"), Box()}); }), "space-rank");
}

TEST(BoxIndex, RankZero) {
  EXPECT_EQ(overlaps({Box(), Box()}, 9), (std::vector<Overlap>{{0, 1}}));
  EXPECT_TRUE(covers({Box()}, Box()));
  EXPECT_FALSE(covers({}, Box()));
}

TEST(BoxIndex, FarApart) {
  const Box left({INT64_MIN}, {INT64_MIN + 4}), right({INT64_MAX - 4}, {INT64_MAX});
  EXPECT_TRUE(are_disjoint({left, right}));
  EXPECT_EQ(BoxIndex({left, right}).meeting(right), std::vector<size_t>{1});
}

/// Up to 40 boxes, small and large, some empty; half of the time a partition with one box moved.
std::vector<Box> random_boxes(std::mt19937& random, int rank) {
  std::vector<Box> boxes;
  if (rank > 0 && random() % 2) {
    Point extents(rank, 12);
    boxes = split_grid(Box::of_shape(extents), std::vector<int64_t>(rank, rank < 3 ? 5 : 3));
    if (random() % 2) {
      Box& moved = boxes[random() % boxes.size()];
      moved = with_range(moved, 0, moved.start()[0], moved.end()[0] + random_between(random, 0, 1));
    }
    return boxes;
  }
  for (size_t count = random() % 40; count > 0; --count) {
    Point start, end;
    for (int d = 0; d < rank; ++d) {
      start.push_back(random_between(random, 0, 12));
      end.push_back(start.back() + random_between(random, 0, random() % 8 ? 2 : 12));
    }
    boxes.emplace_back(start, end);
  }
  return boxes;
}

bool have_common_cells(const Box& a, const Box& b) {
  return !is_empty(a) && !is_empty(b) && (a.rank() == 0 || !is_empty(intersect(a, b)));
}

TEST(BoxIndexProperty, AgreesWithAllPairs) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const int rank = static_cast<int>(random() % 4);
    const std::vector<Box> boxes = random_boxes(random, rank);
    const BoxIndex index(boxes);
    size_t pairs = 0;
    for (size_t i = 0; i < boxes.size(); ++i) {
      std::vector<size_t> expected;
      for (size_t l = 0; l < boxes.size(); ++l)
        if (have_common_cells(boxes[i], boxes[l])) {
          expected.push_back(l);
          pairs += l > i;
        }
      ASSERT_EQ(index.meeting(boxes[i]), expected) << "seed " << seed;
    }
    ASSERT_EQ(overlaps(boxes, 10000).size(), pairs) << "seed " << seed;
    ASSERT_EQ(are_disjoint(boxes), pairs == 0) << "seed " << seed;
  }
}

TEST(BoxIndexProperty, CoversAgreesWithCells) {
  int covered = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const int rank = 1 + static_cast<int>(random() % 3);
    const std::vector<Box> boxes = random_boxes(random, rank);
    const Box whole = translate(random_box(random, rank), Point(rank, 4));
    bool expected = true;
    for_each_point(whole, [&](const Point& cell) {
      bool is_in = false;
      for (const Box& each : boxes)
        is_in |= contains(each, cell);
      expected &= is_in;
    });
    ASSERT_EQ(covers(boxes, whole), expected) << "seed " << seed;
    covered += expected;
  }
  EXPECT_GT(covered, 1000);
}

TEST(BoxIndex, ManyBoxes) {
  const Box whole = box("[0:400, 0:500, 0:1]");
  const std::vector<Box> cells = split_grid(whole, {400, 500, 1});
  EXPECT_TRUE(are_disjoint(cells));
  EXPECT_TRUE(covers(cells, whole));
  EXPECT_TRUE(validate_partition(whole, cells).empty());
  EXPECT_EQ(overlaps(std::vector<Box>(100000, whole), 3).size(), 3u);
}

} // namespace
} // namespace kolam::space
