// Reshape as collapse then expand.
#include "kolam/space/reshape.h"

#include <gtest/gtest.h>

#include "kolam/space/layout.h"
#include "test/space/random_space.h"

namespace kolam::space {
namespace {

TEST(Reshape, KeptDimsAreCopies) {
  EXPECT_EQ(reshape_map({6, 4}, {6, 4}), identity_map(2));
  EXPECT_EQ(to_string(reshape_map({6, 4}, {24})), "[(1 | 0) floordiv 4; (1 | 0) mod 4]");
  EXPECT_EQ(to_string(reshape_map({24}, {6, 4})), "[4 1 | 0]");
  EXPECT_EQ(to_string(reshape_map({5, 6, 4}, {5, 3, 8})),
            "[1 0 0 | 0; (0 8 1 | 0) floordiv 4; (0 0 1 | 0) mod 4]");
}

TEST(Reshape, GroupedHeads) {
  EXPECT_EQ(to_string(reshape_map({2, 32}, {2, 8, 4})), "[1 0 0 | 0; 0 4 1 | 0]");
}

TEST(Reshape, EmptyAndScalarShapes) {
  EXPECT_EQ(reshape_map({}, {1, 1}).output_rank(), 0);
  EXPECT_EQ(image(reshape_map({1, 1}, {}), {}), (Point{0, 0}));
  EXPECT_EQ(reshape_map({0, 3}, {3, 0, 2}).output_rank(), 2);
  EXPECT_EQ(slug_of([] { reshape_map({4}, {5}); }), "space-reshape");
}

TEST(ReshapeProperty, KeepsRowMajorOrder) {
  const std::vector<Point> shapes{{24},      {2, 12}, {4, 6},    {6, 4},    {2, 3, 4},
                                  {4, 3, 2}, {1, 24}, {2, 2, 6}, {3, 1, 8}, {2, 2, 2, 3}};
  for (const Point& from : shapes)
    for (const Point& to : shapes) {
      AffineMap map = reshape_map(from, to);
      for_each_point(Box::of_shape(to), [&](const Point& point) {
        int64_t number = ravel(row_major(Shape(to.begin(), to.end())), point);
        ASSERT_EQ(image(map, point), unravel(from, number))
            << to_string(from) << " as " << to_string(to) << ": " << to_string(map);
      });
    }
}

} // namespace
} // namespace kolam::space
