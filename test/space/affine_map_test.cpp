// Affine maps: the reference's cases A1 to A4, quasi-affine rows, random compositions.
#include "kolam/space/affine_map.h"

#include <gtest/gtest.h>

#include "test/space/random_space.h"

namespace kolam::space {
namespace {

const AffineMap three_rows = affine_map(2, {{1, 0}, {0, 2}, {1, 2}}, {4, 5, 6});

TEST(AffineMap, A1ApplyAndTranslate) {
  EXPECT_EQ(image(three_rows, {1, 1}), (Point{5, 7, 9}));
  EXPECT_EQ(slug_of([] { image(three_rows, {1, 1, 1}); }), "space-rank");
  EXPECT_EQ(translate(three_rows, {1, 2, 3}), affine_map(2, {{1, 0}, {0, 2}, {1, 2}}, {5, 7, 9}));
}

TEST(AffineMap, A2Permute) {
  EXPECT_EQ(permute_inputs(three_rows, {1, 0}), affine_map(2, {{0, 1}, {2, 0}, {2, 1}}, {4, 5, 6}));
  EXPECT_EQ(permute_outputs(three_rows, {1, 0, 2}),
            affine_map(2, {{0, 2}, {1, 0}, {1, 2}}, {5, 4, 6}));
}

TEST(AffineMap, A3Embed) {
  AffineMap map = affine_map(2, {{1, 0}, {0, 2}}, {-1, -1});
  EXPECT_EQ(image(map, {1, 1}), (Point{0, 1}));
  EXPECT_EQ(image(map, {2, 2}), (Point{1, 3}));
  EXPECT_EQ(embed(map, 4, Embedding::clip), affine_map(4, {{0, 0, 1, 0}, {0, 0, 0, 2}}, {-1, -1}));
  EXPECT_EQ(
      embed(map, 4, Embedding::tile),
      affine_map(4, {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 2}}, {0, 0, -1, -1}));
  EXPECT_EQ(slug_of([&] { embed(map, 1, Embedding::clip); }), "space-rank");
}

TEST(AffineMap, A4Compose) {
  AffineMap left = affine_map(3, {{1, 2, 3}, {4, 5, 6}}, {0, 0});
  AffineMap right = affine_map(2, {{10, 11}, {20, 21}, {30, 31}}, {0, 0, 0});
  EXPECT_EQ(compose(left, right), affine_map(2, {{140, 146}, {320, 335}}, {0, 0}));
  EXPECT_EQ(image(left, {10, 20, 30}), (Point{140, 320}));
}

TEST(AffineMap, ReverseInput) {
  Extent n = Extent::symbol("n");
  AffineMap reversed = reverse_input(identity_map(2), 1, n);
  EXPECT_EQ(to_string(reversed), "[1 0 | 0; 0 -1 | n - 1]");
  EXPECT_EQ(image(instantiate(reversed, {{"n", 3}}), {0, 2}), (Point{0, 0}));
  EXPECT_EQ(slug_of([&] { image(reversed, {0, 0}); }), "space-symbolic");
}

TEST(AffineMap, QuasiAffineRows) {
  AffineMap interleave{1, {{{1}, 0, 1, 3}, {{1}, 0, 3, 0}}};
  EXPECT_EQ(image(interleave, {7}), (Point{1, 2}));
  EXPECT_EQ(image(interleave, {-1}), (Point{2, -1}));
  EXPECT_EQ(to_string(interleave), "[(1 | 0) mod 3; (1 | 0) floordiv 3]");
  AffineMap halves{2, {{{0, 1}, 0, 2, 0}}};
  EXPECT_EQ(to_string(compose(halves, interleave)), "[(1 | 0) floordiv 6]");
  EXPECT_EQ(slug_of([&] { compose(affine_map(2, {{1, 1}}, {0}), interleave); }),
            "space-not-representable");
  EXPECT_EQ(slug_of([] { check_map({1, {{{1}, 0, 0, 0}}}); }), "space-divisor");
}

TEST(AffineMap, SimplifyRemovesIdleDivisions) {
  AffineMap collapsed{3, {{{12, 4, 1}, 0, 4, 0}, {{12, 4, 1}, 0, 8, 0}, {{12, 4, 1}, 0, 1, 4}}};
  EXPECT_EQ(to_string(simplify(collapsed, Box::of_shape({2, 3, 4}))),
            "[3 1 0 | 0; (3 1 0 | 0) floordiv 2; 0 0 1 | 0]");
}

TEST(AffineMap, OverflowIsRefused) {
  AffineMap map = affine_map(1, {{INT64_MAX}}, {0});
  EXPECT_EQ(slug_of([&] { image(map, {2}); }), "space-overflow");
  EXPECT_EQ(slug_of([&] { compose(map, affine_map(1, {{2}}, {0})); }), "space-overflow");
}

AffineMap random_map(std::mt19937& random, int inputs, int outputs) {
  AffineMap map{inputs, {}};
  for (int k = 0; k < outputs; ++k) {
    AffineRow row;
    for (int j = 0; j < inputs; ++j)
      row.coefficients.push_back(random_between(random, -3, 3));
    row.offset = random_between(random, -5, 5);
    if (random() % 3 == 0)
      row.divisor = random_between(random, 1, 6);
    if (random() % 3 == 0)
      row.modulus = random_between(random, 1, 6);
    map.rows.push_back(row);
  }
  return map;
}

/// Rows that read one input with coefficient 1, which compose with quasi-affine rows.
AffineMap random_selection(std::mt19937& random, int inputs, int outputs) {
  AffineMap map = random_map(random, inputs, outputs);
  for (AffineRow& row : map.rows) {
    row.coefficients.assign(inputs, 0);
    row.coefficients[random() % inputs] = 1;
    if (random() % 2)
      row.offset = 0;
  }
  return map;
}

TEST(AffineMapProperty, CompositionIsApplicationTwice) {
  int composed = 0;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    AffineMap inner = random_map(random, 2, 2);
    AffineMap outer = random() % 2 ? random_map(random, 2, 2) : random_selection(random, 2, 2);
    std::optional<AffineMap> both = try_compose(outer, inner);
    if (!both)
      continue;
    ++composed;
    for_each_point(Box({-5, -5}, {5, 5}), [&](const Point& point) {
      ASSERT_EQ(image(*both, point), image(outer, image(inner, point)))
          << "seed " << seed << ": " << to_string(outer) << " over " << to_string(inner);
    });
  }
  EXPECT_GT(composed, 1000);
}

TEST(AffineMapProperty, SimplifyKeepsTheValuesOnTheBox) {
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    AffineMap map = random_map(random, 2, 2);
    Box box = random_box(random, 2);
    AffineMap simple = simplify(map, box);
    for_each_point(box, [&](const Point& point) {
      ASSERT_EQ(image(simple, point), image(map, point))
          << "seed " << seed << ": " << to_string(map) << " on " << to_string(box);
    });
  }
}

TEST(AffineMapProperty, RowRangeIsTightWithoutMod) {
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    AffineMap map = random_map(random, 2, 1);
    Box box = random_box(random, 2, 1);
    RowRange range = row_range(map.rows[0], box);
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    for_each_point(box, [&](const Point& point) {
      least = std::min(least, image(map, point)[0]);
      greatest = std::max(greatest, image(map, point)[0]);
    });
    ASSERT_TRUE(range.least <= least && greatest <= range.greatest) << "seed " << seed;
    if (map.rows[0].modulus == 0) {
      ASSERT_TRUE(range.least == least && greatest == range.greatest) << "seed " << seed;
    }
  }
}

} // namespace
} // namespace kolam::space
