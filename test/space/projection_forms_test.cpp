// The named projections: cases P5, P6 and S3 of the reference.
#include "kolam/space/projection_forms.h"

#include <gtest/gtest.h>

#include "kolam/space/region.h"
#include "test/space/random_space.h"

namespace kolam::space {
namespace {

Box box(std::string_view text) { return *parse_box(text); }

TEST(ProjectionForms, P5Reversed) {
  Projection weights = reversed({4, 3}, {1});
  EXPECT_EQ(region(weights, Point{0, 0}), box("[0:1, 2:3]"));
  EXPECT_EQ(region(weights, Point{0, 1}), box("[0:1, 1:2]"));
  EXPECT_EQ(region(weights, box("[0:4, 0:1]")), box("[0:4, 2:3]"));
  EXPECT_EQ(region(weights, box("[0:4, 0:3]")), box("[0:4, 0:3]"));
  EXPECT_EQ(weights.adjustment, (Shape{0, 2}));
}

TEST(ProjectionForms, P6Window) {
  Projection both = window({{3, 1}, {3, 1}});
  EXPECT_EQ(region(both, Point{0, 0}), box("[-1:2, -1:2]"));
  EXPECT_EQ(region(both, box("[0:4, 0:3]")), box("[-1:5, -1:4]"));
  EXPECT_EQ(both.adjustment, (Shape{0, 0}));
}

TEST(ProjectionForms, WindowWithStrideAndDilation) {
  EXPECT_EQ(to_string(window({{3, 1, 2, 4}})), "[2 | -4 | 9]");
  EXPECT_EQ(to_string(window({{Extent::symbol("k")}})), "[1 | 0 | k]");
  EXPECT_EQ(to_string(window({{0}})), "[1 | 0 | 0]");
  EXPECT_EQ(slug_of([] { window({{3, 1, 0, 1}}); }), "space-window");
}

TEST(ProjectionForms, S3Broadcast) {
  Shape index = broadcast_shape({{10, 10, 10}, {1, 10}});
  EXPECT_EQ(index, (Shape{10, 10, 10}));
  EXPECT_EQ(to_string(broadcast(index, {1, 10})), "[0 0 0 | 0 | 1; 0 0 1 | 0 | 1]");
  EXPECT_EQ(broadcast_shape({{2, 1, 1}, {3}}), (Shape{2, 1, 3}));
  EXPECT_EQ(broadcast_shape({{2, 10, 1}, {1, 3}}), (Shape{2, 10, 3}));
  EXPECT_EQ(slug_of([] { broadcast_shape({{2}, {3}}); }), "space-broadcast");
  EXPECT_EQ(slug_of([] { broadcast({4}, {2, 4}); }), "space-broadcast");
}

TEST(ProjectionForms, ASymbolNeverBroadcasts) {
  Extent n = Extent::symbol("n");
  EXPECT_EQ(broadcast_shape({{n}, {1}}), Shape{n});
  EXPECT_EQ(slug_of([&] { broadcast_shape({{n}, {4}}); }), "space-broadcast");
}

TEST(ProjectionForms, AxialFixedStrided) {
  EXPECT_EQ(to_string(axial(2, {0, kWhole}, {8, 5})), "[1 0 | 0 | 1; 0 0 | 0 | 5]");
  EXPECT_EQ(to_string(fixed(1, {2, 3}, {4, 5})), "[0 | 2 | 4; 0 | 3 | 5]");
  EXPECT_EQ(to_string(strided({2, -1}, {0, 9})), "[2 0 | 0 | 1; 0 -1 | 9 | 1]");
  EXPECT_EQ(slug_of([] { axial(1, {1}, {8}); }), "space-rank");
  EXPECT_EQ(slug_of([] { reversed({8}, {1}); }), "space-rank");
}

} // namespace
} // namespace kolam::space
