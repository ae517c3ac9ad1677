// Disjointness and exact cover: V5 of the reference, reshape, brute force.
#include "kolam/space/cover.h"

#include <gtest/gtest.h>

#include "kolam/space/projection_forms.h"
#include "kolam/space/region.h"
#include "test/space/random_space.h"

namespace kolam::space {
namespace {

Box box(std::string_view text) { return *parse_box(text); }

TEST(Cover, V5OutputsThatAreNotInjective) {
  Projection diagonal_sum = projection(affine_map(2, {{1, 1}}, {0}), {1});
  EXPECT_EQ(are_disjoint(diagonal_sum, box("[0:2, 0:2]")), false);
  EXPECT_EQ(is_exact_cover(diagonal_sum, box("[0:2, 0:2]"), box("[0:3]")), false);
}

TEST(Cover, V5GapsAreNoCover) {
  Projection every_other = projection(affine_map(1, {{2}}, {0}), {1});
  EXPECT_EQ(are_disjoint(every_other, box("[0:3]")), true);
  EXPECT_EQ(is_exact_cover(every_other, box("[0:3]"), box("[0:5]")), false);
  Projection pairs = projection(affine_map(1, {{2}}, {0}), {2});
  EXPECT_EQ(is_exact_cover(pairs, box("[0:3]"), box("[0:6]")), true);
}

TEST(Cover, CollapsedDimsAreDisjoint) {
  Projection ravel = projection(affine_map(3, {{12, 4, 1}}, {0}), {1});
  EXPECT_EQ(is_exact_cover(ravel, box("[0:1000000, 0:3, 0:4]"), box("[0:12000000]")), true);
  EXPECT_EQ(are_disjoint(ravel, box("[0:2, 0:4, 0:4]")), false);
}

TEST(Cover, ExpandedDimsAreDisjoint) {
  Projection unravel = projection({1, {{{1}, 0, 4, 0}, {{1}, 0, 1, 4}}}, {1, 1});
  EXPECT_EQ(is_exact_cover(unravel, box("[0:24]"), box("[0:6, 0:4]")), true);
  EXPECT_EQ(is_exact_cover(unravel, box("[0:23]"), box("[0:6, 0:4]")), false);
}

TEST(Cover, SymbolicExtents) {
  Extent n = Extent::symbol("n");
  EXPECT_TRUE(are_disjoint_for_all_sizes(identity(2), {n, n}));
  EXPECT_FALSE(are_disjoint_for_all_sizes(axial(2, {0, kWhole}, {n, 4}), {n, n}));
  EXPECT_TRUE(are_disjoint_for_all_sizes(projection(affine_map(2, {{4, 1}}, {0}), {1}), {n, 4}));
  EXPECT_FALSE(are_disjoint_for_all_sizes(projection(affine_map(2, {{4, 1}}, {0}), {1}), {4, n}));
}

TEST(Cover, EmptyThings) {
  EXPECT_EQ(is_exact_cover(identity(1), box("[0:0]"), box("[3:3]")), true);
  EXPECT_EQ(is_exact_cover(identity(1), box("[0:0]"), box("[0:1]")), false);
  EXPECT_EQ(are_disjoint(projection(affine_map(1, {{0}}, {0}), {0}), box("[0:9]")), true);
  EXPECT_EQ(is_exact_cover(identity(0), Box(), Box()), true);
}

TEST(Cover, TooMuchToDecide) {
  Projection tangled = projection(affine_map(2, {{3, 5}}, {0}), {2});
  EXPECT_EQ(are_disjoint(tangled, box("[0:1000000, 0:1000000]")), std::nullopt);
}

TEST(CoverProperty, AgreesWithEnumeration) {
  int covers = 0, disjoint = 0;
  for (uint32_t seed = 0; seed < 8000; ++seed) {
    std::mt19937 random(seed);
    int index_rank = static_cast<int>(random() % 3), tensor_rank = static_cast<int>(random() % 3);
    Projection p = random_projection(random, index_rank, tensor_rank, seed % 3 == 0);
    Box range = random_box(random, index_rank);
    std::map<Point, int> cells = owners(p, range);
    bool expected = true;
    for (const auto& [cell, count] : cells)
      expected &= count == 1;
    ASSERT_EQ(are_disjoint(p, range), expected)
        << "seed " << seed << ": " << to_string(p) << " on " << to_string(range);
    Box target = box_around(cells, tensor_rank);
    bool exact = expected && static_cast<int64_t>(cells.size()) == size(target);
    ASSERT_EQ(is_exact_cover(p, range, target), exact)
        << "seed " << seed << ": " << to_string(p) << " on " << to_string(range);
    covers += exact;
    disjoint += expected;
    bool always = are_disjoint_for_all_sizes(p, Shape(index_rank, Extent::symbol("n")));
    ASSERT_TRUE(!always || expected) << "seed " << seed;
  }
  EXPECT_GT(covers, 300);
  EXPECT_GT(disjoint, covers);
}

} // namespace
} // namespace kolam::space
