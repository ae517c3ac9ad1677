// The words of wrong boxes, maps, projections, views, layouts, selectors and trees.
#include "kolam/space/layout.h"
#include "kolam/space/monoid.h"
#include "kolam/space/projection_forms.h"
#include "kolam/space/reshape.h"
#include "kolam/space/selector.h"
#include "kolam/space/view.h"
#include "test/runtime/expect_error.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace kolam::space {
namespace {

/// What the Error says that `call` throws.
std::string words(const std::function<void()>& call) { return error_of(call).what(); }

Box box(std::string_view text) { return *parse_box(text); }

TEST(SpaceErrors, Rank) {
  EXPECT_EQ(words([] { Box({1, 2}, {3}); }),
            "[space-rank] expected rank 2 of a box's end, but got 1");
  EXPECT_EQ(words([] { with_range(box("[0:4]"), 1, 0, 2); }),
            "[space-rank] expected a dim below 1, but got 1");
  EXPECT_EQ(words([] { image(identity_map(2), {1}); }),
            "[space-rank] expected rank 2 of a point, but got 1");
  EXPECT_EQ(words([] { reverse_input(identity_map(2), 2, 4); }),
            "[space-rank] expected an index dim below 2, but got 2");
  EXPECT_EQ(words([] { embed(identity_map(2), 1, Embedding::clip); }),
            "[space-rank] expected at least 2 inputs, but got 1");
}

TEST(SpaceErrors, InvalidBox) {
  EXPECT_EQ(words([] { Box({0, 5}, {3, 2}); }),
            "[space-invalid-box] expected start <= end in dim 1, but got 5:2");
}

TEST(SpaceErrors, Overflow) {
  const std::string left = "[space-overflow] expected a number of 64 bits, but got ";
  EXPECT_EQ(words([] { Box({INT64_MIN}, {INT64_MAX}); }),
            left + "9223372036854775807 - -9223372036854775808");
  EXPECT_EQ(words([] { size(box("[0:4294967296, 0:4294967296]")); }),
            left + "4294967296 * 4294967296");
  EXPECT_EQ(words([] { image(affine_map(1, {{2}}, {0}), {INT64_MAX}); }),
            left + "2 * 9223372036854775807");
}

TEST(SpaceErrors, Empty) {
  EXPECT_EQ(words([] { last(box("[0:4, 2:2]")); }),
            "[space-empty] expected a box with elements, but got [0:4, 2:2]");
  EXPECT_EQ(words([] { bounding({}); }), "[space-empty] expected at least one box to bound");
}

TEST(SpaceErrors, Permutation) {
  EXPECT_EQ(words([] { permute(box("[0:2, 0:3]"), {0, 0}); }),
            "[space-permutation] expected each of 0 to 1 once, but got (0, 0)");
}

TEST(SpaceErrors, Split) {
  EXPECT_EQ(words([] { split_by_size(box("[0:10]"), 0, 0); }),
            "[space-split] expected pieces of at least one element, but got 0");
  EXPECT_EQ(words([] { split_evenly(box("[0:10]"), 0, 0); }),
            "[space-split] expected at least one piece, but got 0");
  EXPECT_EQ(words([] { split_by_list(box("[0:10]"), 0, {12, -2}); }),
            "[space-split] expected pieces of at least one element, but got -2");
  EXPECT_EQ(words([] { split_by_list(box("[0:10]"), 0, {4, 4}); }),
            "[space-split] expected pieces that sum to 10, but got 8");
}

TEST(SpaceErrors, Divisor) {
  const AffineMap map{1, {AffineRow{{1}, 0, 0, 0}}};
  EXPECT_EQ(words([&] { image(map, {3}); }), "[space-divisor] expected a divisor >= 1 and a "
                                             "modulus >= 0, but got (1 | 0) floordiv 0");
}

TEST(SpaceErrors, NotRepresentable) {
  EXPECT_EQ(words([] { translate(repeat_map(4), {1}); }),
            "[space-not-representable] expected a row without mod to translate, but got (1 | 0) "
            "mod 4");
  EXPECT_EQ(words([] { compose(affine_map(1, {{2}}, {0}), repeat_map(4)); }),
            "[space-not-representable] the composition of [2 | 0] over [(1 | 0) mod 4] is no map "
            "with one division and one mod a row");
}

TEST(SpaceErrors, Symbolic) {
  const AffineMap shifted = affine_map(1, {{1}}, {Extent::symbol("n")});
  EXPECT_EQ(words([&] { image(shifted, {0}); }),
            "[space-symbolic] expected a number, but got 'n'; instantiate it first");
}

TEST(SpaceErrors, Size) {
  EXPECT_EQ(words([] { projection(identity_map(1), {-1}); }),
            "[space-size] expected sizes >= 0, but got [-1]");
}

TEST(SpaceErrors, Broadcast) {
  EXPECT_EQ(words([] { broadcast(Shape{3}, Shape{2}); }),
            "[space-broadcast] expected a shape that broadcasts to [3], but got [2]");
  EXPECT_EQ(words([] { broadcast_to(view_of({2}), {3}); }),
            "[space-broadcast] expected a shape that broadcasts to (3), but got (2)");
}

TEST(SpaceErrors, Window) {
  EXPECT_EQ(words([] { window({WindowDim{3, 1, 0}}); }),
            "[space-window] expected stride and dilation >= 1, but got 0 and 1");
}

TEST(SpaceErrors, Reshape) {
  EXPECT_EQ(words([] { reshape_map({2, 3}, {4}); }),
            "[space-reshape] expected a shape of 6 elements, but got (4)");
}

TEST(SpaceErrors, OutOfBounds) {
  EXPECT_EQ(words([] { ravel(row_major({2, 3}), {2, 0}); }),
            "[space-out-of-bounds] expected an element of [0:2, 0:3], but got (2, 0)");
  EXPECT_EQ(words([] { unravel({2, 3}, 6); }),
            "[space-out-of-bounds] expected an element of [0:2, 0:3], but got 6");
  EXPECT_EQ(words([] { select(view_of({2}), 0, 2); }),
            "[space-out-of-bounds] expected an element below 2, but got 2");
  EXPECT_EQ(words([] { slice(view_of({2}), 0, 0, 1, -1); }),
            "[space-out-of-bounds] expected a count >= 0, but got -1");
  EXPECT_EQ(words([] { concat_source({2, 3}, 5); }),
            "[space-out-of-bounds] expected an element of the pieces (2, 3), but got 5");
}

TEST(SpaceErrors, Squeeze) {
  EXPECT_EQ(words([] { squeeze(view_of({2}), 0); }),
            "[space-squeeze] expected extent 1, but got 2");
}

TEST(SpaceErrors, Step) {
  EXPECT_EQ(words([] { slice_count(0, 4, 0); }),
            "[space-step] expected a step other than 0, but got 0");
  EXPECT_EQ(words([] { phase(8, 2, 2); }), "[space-step] expected a phase below 2, but got 2");
  EXPECT_EQ(words([] { repeat_map(0); }), "[space-step] expected at least one element, but got 0");
}

TEST(SpaceErrors, Concat) {
  EXPECT_EQ(words([] { concat_projections({Shape{2, 3}, Shape{2, 4}}, 0); }),
            "[space-concat] expected pieces like [2, 3], but got [2, 4]");
}

TEST(SpaceErrors, Tree) {
  EXPECT_EQ(words([] { tree_sizes(10, 1); }),
            "[space-tree] expected a branching of at least 2, but got 1");
  EXPECT_EQ(words([] { chunk_count(10, 0); }),
            "[space-tree] expected chunks of at least one element, but got 0");
}

} // namespace
} // namespace kolam::space
