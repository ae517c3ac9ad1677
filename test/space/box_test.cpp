// Boxes: the reference's cases Z1 to Z8 and random boxes against enumeration.
#include "kolam/space/box.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "test/space/random_space.h"

namespace kolam::space {
namespace {

Box box(std::string_view text) { return *parse_box(text); }

Point extents(const std::vector<Box>& pieces, int dim) {
  Point result;
  for (const Box& piece : pieces)
    result.push_back(piece.extent(dim));
  return result;
}

TEST(Box, Z1SizeAndText) {
  EXPECT_EQ(size(box("[0:2, 0:3]")), 6);
  EXPECT_EQ(size(box("zr[]")), 1);
  EXPECT_FALSE(is_empty(Box()));
  EXPECT_EQ(box("zr[2:4, 3:5]").start(), (Point{2, 3}));
  EXPECT_EQ(box("zr[2:4, 3:5]").end(), (Point{4, 5}));
  for (const char* bad : {"zr[1, 2, 3]", "abc", "", "[", "[0:1", "[0:1,]", "[1:0]", "[0:1] x",
                          "[0:99999999999999999999]", "[-9223372036854775808:9223372036854775807]"})
    EXPECT_FALSE(parse_box(bad)) << bad;
  for (const char* text : {"[]", "[0:4, 2:9]", "[-3:-3]"})
    EXPECT_EQ(to_string(box(text)), text);
}

TEST(Box, Z2RejectsPerDim) {
  EXPECT_EQ(slug_of([] { Box({1, 2, 3}, {4, 5}); }), "space-rank");
  EXPECT_EQ(slug_of([] { Box({1, 1}, {0, 1}); }), "space-invalid-box");
  EXPECT_EQ(slug_of([] { Box({0, 5}, {3, 2}); }), "space-invalid-box");
}

TEST(Box, Z3Permute) {
  EXPECT_EQ(permute(box("[5:8, 6:9, 7:10]"), {1, 2, 0}), box("[6:9, 7:10, 5:8]"));
  EXPECT_EQ(slug_of([] { permute(box("[0:1, 0:1]"), {0, 0}); }), "space-permutation");
}

TEST(Box, Z4Points) {
  EXPECT_EQ(points(box("[2:4, 3:5]")), (std::vector<Point>{{2, 3}, {2, 4}, {3, 3}, {3, 4}}));
  EXPECT_EQ(points(Box()), std::vector<Point>{Point()});
  EXPECT_TRUE(points(box("[0:0, 0:0]")).empty());
}

TEST(Box, Z5Contains) {
  Box range = box("[0:2, 0:3]");
  EXPECT_TRUE(contains(range, Point{1, 1}));
  for (Point outside : {Point{-2, 1}, Point{2, 3}, Point{2, 0}, Point{0, 3}, Point{1}, Point{}})
    EXPECT_FALSE(contains(range, outside)) << to_string(outside);
  EXPECT_TRUE(contains(range, box("[0:1, 0:1]")));
  EXPECT_TRUE(contains(range, box("[1:2, 2:3]")));
  EXPECT_FALSE(contains(range, box("[0:1, -1:1]")));
  EXPECT_FALSE(contains(range, box("[0:3, 0:1]")));
  EXPECT_TRUE(contains(range, box("[0:0, 0:0]")));
  EXPECT_TRUE(contains(range, box("[2:2, 3:3]")));
  EXPECT_FALSE(contains(range, box("[-1:-1, 0:0]")));
  EXPECT_FALSE(contains(range, box("[0:1]")));
  EXPECT_TRUE(contains(Box(), Point{}));
}

TEST(Box, Z6Intersect) {
  EXPECT_EQ(intersect(box("[0:2, 0:3]"), box("[-2:2, 1:5]")), box("[0:2, 1:3]"));
  EXPECT_EQ(intersect(box("[0:2, 0:3]"), box("[-5:-1, -5:-1]")), box("[0:0, 0:0]"));
  Box two = intersect(box("[0:3, 0:3, 0:3]"), box("[1:4, 1:2, -1:3]"));
  EXPECT_EQ(two, box("[1:3, 1:2, 0:3]"));
  EXPECT_EQ(intersect(two, box("[2:5, 1:2, -1:3]")), box("[2:3, 1:2, 0:3]"));
  EXPECT_EQ(intersect(two, box("[4:5, 4:7, 4:8]")), box("[0:0, 0:0, 0:0]"));
  EXPECT_EQ(intersect(box("[0:2]"), box("[2:4]")), box("[0:0]"));
}

TEST(Box, Z7SplitBySize) {
  EXPECT_EQ(extents(split_by_size(box("[0:10]"), 0, 4), 0), (Point{4, 4, 2}));
  EXPECT_EQ(extents(split_by_size(box("[0:8]"), 0, 3), 0), (Point{3, 3, 2}));
  EXPECT_EQ(extents(split_by_size(box("[0:12]"), 0, 5), 0), (Point{5, 5, 2}));
  EXPECT_EQ(slug_of([] { split_by_size(box("[0:8]"), 0, 0); }), "space-split");
}

TEST(Box, Z8Corners) {
  EXPECT_EQ(corners(box("[0:1, 0:2, 0:3]")),
            (std::vector<Point>{{0, 0, 0}, {0, 0, 2}, {0, 1, 0}, {0, 1, 2}}));
  EXPECT_TRUE(corners(box("[0:0, 0:2]")).empty());
}

TEST(Box, S5SplitEvenly) {
  EXPECT_EQ(extents(split_by_size(box("[0:32]"), 0, 16), 0), (Point{16, 16}));
  EXPECT_EQ(extents(split_by_size(box("[0:10]"), 0, 3), 0), (Point{3, 3, 3, 1}));
  EXPECT_EQ(extents(split_by_size(box("[0:7]"), 0, 3), 0), (Point{3, 3, 1}));
  EXPECT_EQ(extents(split_evenly(box("[0:10]"), 0, 4), 0), (Point{3, 3, 2, 2}));
  EXPECT_EQ(extents(split_evenly(box("[0:5]"), 0, 4), 0), (Point{2, 1, 1, 1}));
  EXPECT_EQ(extents(split_evenly(box("[0:4]"), 0, 3), 0), (Point{2, 1, 1}));
  EXPECT_EQ(extents(split_evenly(box("[3:5]"), 0, 4), 0), (Point{1, 1}));
  EXPECT_EQ(split_evenly(box("[3:3]"), 0, 4), std::vector<Box>{box("[3:3]")});
}

TEST(Box, SplitByList) {
  EXPECT_EQ(split_by_list(box("[2:8, 0:1]"), 0, {1, 5}),
            (std::vector<Box>{box("[2:3, 0:1]"), box("[3:8, 0:1]")}));
  EXPECT_EQ(slug_of([] { split_by_list(box("[0:8]"), 0, {1, 5}); }), "space-split");
  EXPECT_EQ(slug_of([] { split_by_list(box("[0:8]"), 0, {8, 0}); }), "space-split");
}

TEST(Box, RestOfTheAlgebra) {
  EXPECT_EQ(bounding({box("[0:2]"), box("[5:6]")}), box("[0:6]"));
  EXPECT_EQ(slug_of([] { bounding({}); }), "space-empty");
  EXPECT_EQ(translate(box("[0:2, 1:1]"), {3, -1}), box("[3:5, 0:0]"));
  EXPECT_EQ(cartesian_product(box("[0:2]"), box("[1:3]")), box("[0:2, 1:3]"));
  EXPECT_EQ(last(box("[0:2, 1:3]")), (Point{1, 2}));
  EXPECT_EQ(slug_of([] { last(box("[0:0]")); }), "space-empty");
  EXPECT_FALSE(all_less_equal({0, 1}, {1, 0}));
  EXPECT_FALSE(all_less_equal({1, 0}, {0, 1}));
}

TEST(Box, SizesAre64BitAndChecked) {
  EXPECT_EQ(size(Box::of_shape({1 << 20, 1 << 20})), int64_t{1} << 40);
  EXPECT_EQ(slug_of([] { size(Box::of_shape({INT64_MAX, 2})); }), "space-overflow");
  EXPECT_EQ(size(Box::of_shape({INT64_MAX, 2, 0})), 0);
  EXPECT_EQ(slug_of([] { Box({INT64_MIN}, {INT64_MAX}); }), "space-overflow");
  EXPECT_EQ(slug_of([] { translate(box("[0:2]"), {INT64_MAX}); }), "space-overflow");
}

TEST(BoxProperty, IntersectionAndBoundingAgreeWithEnumeration) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    int rank = static_cast<int>(random() % 4);
    Box a = random_box(random, rank), b = random_box(random, rank);
    std::set<Point> common;
    for_each_point(a, [&](const Point& point) {
      if (contains(b, point))
        common.insert(point);
    });
    std::vector<Point> listed = points(intersect(a, b));
    ASSERT_EQ(std::set<Point>(listed.begin(), listed.end()), common) << "seed " << seed;
    ASSERT_TRUE(contains(bounding({a, b}), a) && contains(bounding({a, b}), b)) << "seed " << seed;
    ASSERT_EQ(static_cast<int64_t>(points(a).size()), size(a)) << "seed " << seed;
  }
}

TEST(BoxProperty, SplitsArePartitions) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    Box whole = random_box(random, 2);
    int64_t number = random() % 6 + 1;
    for (const std::vector<Box>& pieces :
         {split_by_size(whole, 1, number), split_evenly(whole, 1, number)}) {
      std::vector<Point> listed;
      for (const Box& piece : pieces) {
        ASSERT_TRUE(is_empty(whole) || !is_empty(piece)) << "seed " << seed;
        for (const Point& point : points(piece))
          listed.push_back(point);
      }
      std::sort(listed.begin(), listed.end());
      ASSERT_EQ(listed, points(whole)) << "seed " << seed;
    }
  }
}

} // namespace
} // namespace kolam::space
