// The algebra of projections: stacking, reversing, reindexing, symbols.
#include "kolam/space/projection.h"

#include <gtest/gtest.h>

#include "kolam/space/projection_forms.h"
#include "kolam/space/region.h"
#include "test/space/random_space.h"

namespace kolam::space {
namespace {

const Extent n = Extent::symbol("n"), m = Extent::symbol("m");

TEST(Projection, P8StackedWindowsAndReversal) {
  Projection window3 = window({{3, 1}});
  Projection twice = stack(window3, window3);
  EXPECT_EQ(to_string(twice), "[1 | -2 | 5]");
  Projection backwards = projection(affine_map(1, {{-1}}, {9}), {1});
  Projection forwards = projection(affine_map(1, {{1}}, {0}), {3});
  EXPECT_EQ(to_string(stack(backwards, forwards)), "[-1 | 7 | 3]");
}

TEST(Projection, PrintsTheMatrix) {
  EXPECT_EQ(to_string(reversed({m, n}, {1})), "[1 0 | 0 | 1; 0 -1 | n - 1 | 1]");
  EXPECT_EQ(to_string(identity(0)), "[]");
}

TEST(Projection, ReversingKeepsBothOffsetParts) {
  Projection forward = window({{3, 1}});
  Projection backward = reverse_index(forward, 0, n);
  EXPECT_EQ(backward.map.rows[0].offset, n - 2);
  EXPECT_EQ(backward.adjustment, Shape{n - 1});
  EXPECT_EQ(relative_start(backward), Shape{-1});
  EXPECT_EQ(reverse_index(backward, 0, n), forward);
}

TEST(Projection, PermuteTranslateEmbed) {
  Projection both = projection(affine_map(2, {{1, 0}, {0, 2}}, {4, 5}), {6, 7});
  EXPECT_EQ(to_string(permute_index(both, {1, 0})), "[0 1 | 4 | 6; 2 0 | 5 | 7]");
  EXPECT_EQ(to_string(permute_tensor(both, {1, 0})), "[0 2 | 5 | 7; 1 0 | 4 | 6]");
  EXPECT_EQ(to_string(translate(both, {1, n})), "[1 0 | 5 | 6; 0 2 | n + 5 | 7]");
  EXPECT_EQ(to_string(embed(both, 3, Embedding::tile)),
            "[1 0 0 | 0 | 1; 0 1 0 | 4 | 6; 0 0 2 | 5 | 7]");
}

TEST(Projection, ReindexSplitsAnIndexDim) {
  Projection reversed_n = reversed({n}, {0});
  AffineMap split = affine_map(2, {{8, 1}}, {0});
  EXPECT_EQ(to_string(reindex(reversed_n, split)), "[-8 -1 | n - 1 | 1]");
}

TEST(Projection, ComposesWithViews) {
  AffineMap every_other_backwards = affine_map(1, {{-2}}, {9});
  EXPECT_EQ(to_string(through_view(every_other_backwards, window({{3}}))), "[-2 | 5 | 5]");
}

TEST(Projection, StacksOverSymbols) {
  Projection rows = fixed(1, {0}, {n});
  EXPECT_EQ(to_string(stack(window({{3, 1}}), rows)), "[0 | -1 | n + 2]");
  EXPECT_EQ(stack(reversed({n}, {0}), window({{m}})).size, Shape{m});
}

TEST(Projection, EmptyRegionsStayEmpty) {
  Projection nothing = projection(identity_map(1), {0});
  EXPECT_EQ(stack(window({{3}}), nothing).size, Shape{0});
  EXPECT_EQ(stack(nothing, window({{3}})).size, Shape{0});
}

TEST(Projection, RefusesWhatIsNoProjection) {
  Projection halves = projection({1, {{{1}, 0, 2, 0}}}, {1});
  EXPECT_EQ(slug_of([&] { stack(halves, window({{2}})); }), "space-not-representable");
  EXPECT_EQ(to_string(stack(halves, window({{2, 0, 2}}))), "[1 | 0 | 1]");
  EXPECT_EQ(slug_of([] { projection(identity_map(1), {-1}); }), "space-size");
  EXPECT_EQ(slug_of([] { projection(identity_map(1), {}); }), "space-rank");
  EXPECT_EQ(slug_of([] { instantiate(projection(identity_map(1), {n - 3}), {{"n", 1}}); }),
            "space-size");
}

TEST(ProjectionProperty, StackingIsExactOnPoints) {
  int stacked = 0, equal = 0;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    Projection inner = random_projection(random, 2, 2, seed % 4 == 0, 1);
    Projection outer = random_projection(random, 2, 2, seed % 4 == 1, 1);
    std::optional<Projection> both = try_stack(outer, inner);
    if (!both)
      continue;
    ++stacked;
    for_each_point(Box({-3, -3}, {3, 3}), [&](const Point& point) {
      Box expected = box_around(owners(outer, region(inner, point)), 2);
      ASSERT_EQ(region(*both, point), expected)
          << "seed " << seed << ": " << to_string(outer) << " over " << to_string(inner);
    });
    if (seed % 4 < 2)
      continue;
    Box range = random_box(random, 2, 1);
    Box direct = region(*both, range), by_steps = region(outer, region(inner, range));
    ASSERT_TRUE(contains(by_steps, direct)) << "seed " << seed;
    equal += direct == by_steps;
  }
  EXPECT_GT(stacked, 2000);
  EXPECT_GT(equal, 1000);
}

TEST(ProjectionProperty, ReversingKeepsTheRegions) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    Projection forward = random_projection(random, 2, 2, seed % 2);
    Point extents{random_between(random, 1, 4), random_between(random, 1, 4)};
    Projection backward = reverse_index(forward, 1, extents[1]);
    for_each_point(Box::of_shape(extents), [&](const Point& point) {
      Point mirrored{point[0], extents[1] - 1 - point[1]};
      ASSERT_EQ(region(backward, point), region(forward, mirrored)) << "seed " << seed;
    });
    ASSERT_EQ(relative_start(backward), relative_start(forward)) << "seed " << seed;
  }
}

TEST(ProjectionProperty, InstantiateCommutesWithTheAlgebra) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    Projection inner = random_projection(random, 2, 2, false, 1);
    inner.map.rows[0].offset = inner.map.rows[0].offset + 2 * n;
    inner.size[1] = n + 1;
    Projection outer = random_projection(random, 2, 2, false, 1);
    outer.map.rows[1].offset = m - n;
    std::map<std::string, int64_t> sizes{{"n", random() % 5}, {"m", random() % 5}};
    ASSERT_EQ(instantiate(stack(outer, inner), sizes),
              stack(instantiate(outer, sizes), instantiate(inner, sizes)))
        << "seed " << seed;
    ASSERT_EQ(instantiate(reverse_index(inner, 0, m + 1), sizes),
              reverse_index(instantiate(inner, sizes), 0, sizes["m"] + 1))
        << "seed " << seed;
  }
}

} // namespace
} // namespace kolam::space
