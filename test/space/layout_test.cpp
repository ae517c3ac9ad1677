// Layouts: T4 of the reference.
#include "kolam/space/layout.h"

#include <gtest/gtest.h>

#include <set>

#include "test/space/random_space.h"

namespace kolam::space {
namespace {

TEST(Layout, T4Ravel) {
  EXPECT_EQ(ravel({3, {2, 1, 3}, {3, 0, 1}}, {1, 0, 1}), 7);
  EXPECT_EQ(ravel({0, {2, 1, 3}, {3, 0, 1}}, {-1, -1, -1}), 5);
  EXPECT_EQ(slug_of([] { ravel({0, {2}, {1}}, {2}); }), "space-out-of-bounds");
  EXPECT_EQ(slug_of([] { ravel({0, {2}, {1}}, {-3}); }), "space-out-of-bounds");
}

TEST(Layout, T4Reverse) {
  Layout reversed = layout_of(reverse(view_of({4}), 0), row_major({4}));
  EXPECT_EQ(reversed, (Layout{3, {4}, {-1}}));
  EXPECT_EQ((Point{8, 9, 10, 11})[ravel(reversed, {2})], 9);
}

TEST(Layout, T4BroadcastRowsAreTheSameMemory) {
  Layout rows = layout_of(broadcast_to(view_of({1, 2}), {2, 2}), row_major({1, 2}));
  EXPECT_EQ(rows.strides, (Shape{0, 1}));
  EXPECT_EQ(ravel(rows, {0, 1}), ravel(rows, {1, 1}));
}

TEST(Layout, RowMajorIsAnEnumeration) {
  Layout layout = row_major({7, 8, 9});
  EXPECT_EQ(ravel(layout, {3, 1, 5}), 230); // case T7
  int64_t next = 0;
  for_each_point(Box::of_shape({7, 8, 9}), [&](const Point& point) {
    EXPECT_EQ(ravel(layout, point), next);
    EXPECT_EQ(unravel({7, 8, 9}, next), point);
    ++next;
  });
  EXPECT_EQ(slug_of([&] { unravel({7, 8, 9}, next); }), "space-out-of-bounds");
  EXPECT_EQ(slug_of([] { row_major({INT64_MAX, 2}); }), "none");
  EXPECT_EQ(slug_of([] { row_major({1, INT64_MAX, 2}); }), "extent-overflow");
}

TEST(Layout, HasDimsInAnyOrder) {
  Layout columns = dense({2, 3, 5}, {2, 0, 1});
  EXPECT_EQ(columns.strides, (Shape{3, 1, 6}));
  EXPECT_EQ(dense_order(columns), (std::vector{2, 0, 1}));
  std::set<int64_t> numbers;
  for_each_point(Box::of_shape({2, 3, 5}),
                 [&](const Point& point) { numbers.insert(ravel(columns, point)); });
  EXPECT_EQ(numbers.size(), 30u);
  EXPECT_EQ(*numbers.rbegin(), 29);
  EXPECT_EQ(dense_order(row_major({2, 3})), (std::vector{0, 1}));
  EXPECT_EQ(dense_order({0, {2, 3}, {4, 1}}), std::nullopt); // a gap behind each row
  EXPECT_EQ(dense_order({0, {2, 3}, {0, 1}}), std::nullopt); // rows that are one
  EXPECT_EQ(dense_order({1, {2, 3}, {3, 1}}), std::nullopt);
  EXPECT_EQ(dense_order({0, {2, 1}, {1, 1}}), (std::vector{0, 1}));
}

TEST(Layout, HasSymbols) {
  Extent n = Extent::symbol("n"), m = Extent::symbol("m");
  Layout columns = dense({n, m}, {1, 0});
  EXPECT_EQ(columns.strides, (Shape{1, n}));
  EXPECT_EQ(dense_order(columns), (std::vector{1, 0}));
  EXPECT_EQ(ravel(columns, {2, 3}, {{"n", 5}, {"m", 4}}), 17);
}

} // namespace
} // namespace kolam::space
