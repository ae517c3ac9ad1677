// Regions, cores, halos and unions: cases P1 to P4 of the reference and brute force.
#include "kolam/space/region.h"

#include <gtest/gtest.h>

#include "kolam/space/projection_forms.h"
#include "test/space/random_space.h"

namespace kolam::space {
namespace {

Box box(std::string_view text) { return *parse_box(text); }

TEST(Region, P1Point) {
  Projection p = projection(affine_map(2, {{2, 0}, {0, 1}, {1, 1}}, {-1, -1, 0}), {2, 2, 1});
  EXPECT_EQ(region(p, Point{3, 2}), box("[5:7, 1:3, 5:6]"));
}

TEST(Region, P2NegativeCoefficient) {
  Projection p = projection(affine_map(2, {{-2, 0}, {0, 1}, {1, 1}}, {-1, -1, 0}), {1, 1, 1});
  EXPECT_EQ(region(p, box("[1:3, 1:2]")), box("[-5:-2, 0:1, 2:4]"));
}

TEST(Region, P3MixedSigns) {
  Projection p = projection(affine_map(2, {{1, -1}}, {0}), {1});
  EXPECT_EQ(region(p, box("[0:3, 0:3]")), box("[-2:3]"));
}

TEST(Region, P4Marginals) {
  Projection p = projection(affine_map(2, {{1, 0}, {0, 2}, {1, 1}}, {0, 0, 0}), {1, 1, 4});
  EXPECT_EQ(shared_by_neighbours(p, 0), (Point{0, 1, 3}));
  EXPECT_EQ(shared_by_neighbours(p, 1), (Point{1, 0, 3}));
  EXPECT_EQ(skipped_by_neighbours(p, 0), (Point{0, 0, 0}));
  EXPECT_EQ(skipped_by_neighbours(p, 1), (Point{0, 1, 0}));
}

TEST(Region, EmptyRangeKeepsItsPlace) {
  Projection p = projection(affine_map(1, {{2}}, {1}), {3});
  EXPECT_EQ(region(p, box("[5:5]")), box("[11:11]"));
  EXPECT_EQ(common_core(p, box("[5:5]")), box("[0:0]"));
}

TEST(Region, CoreAndHaloOfAWindow) {
  Projection p = window({{5, 2}});
  EXPECT_EQ(common_core(p, box("[0:3]")), box("[0:3]"));
  EXPECT_EQ(common_core(p, box("[0:9]")), box("[0:0]"));
  EXPECT_EQ(halo(p, box("[0:9]"), 0), Point{4});
  EXPECT_EQ(new_cells(p, box("[0:9]"), 0), 1);
  Projection weights = axial(2, {kWhole, 1}, {7, 3});
  EXPECT_EQ(halo(weights, box("[0:4, 0:3]"), 0), (Point{7, 3}));
}

TEST(Region, NeedsNumbers) {
  EXPECT_EQ(slug_of([] { region(window({{Extent::symbol("k")}}), box("[0:1]")); }),
            "space-symbolic");
  EXPECT_EQ(slug_of([] { region(window({{3}}), box("[0:1, 0:1]")); }), "space-rank");
  EXPECT_EQ(slug_of([] { halo(projection({1, {{{1}, 0, 2, 0}}}, {1}), box("[0:4]"), 0); }),
            "space-not-representable");
}

TEST(Region, CoordinatesAre64Bit) {
  Projection p = projection(affine_map(1, {{int64_t{1} << 40}}, {0}), {1});
  EXPECT_EQ(region(p, Point{1 << 20}).start(), Point{int64_t{1} << 60});
  EXPECT_EQ(slug_of([&] { region(p, Point{int64_t{1} << 24}); }), "space-overflow");
}

TEST(RegionProperty, RangesAndCoresAgreeWithEnumeration) {
  for (uint32_t seed = 0; seed < 6000; ++seed) {
    std::mt19937 random(seed);
    bool quasi = seed % 3 == 0;
    int index_rank = static_cast<int>(random() % 4), tensor_rank = static_cast<int>(random() % 3);
    Projection p = random_projection(random, index_rank, tensor_rank, quasi, 1);
    Box range = random_box(random, index_rank, 1);
    std::map<Point, int> cells = owners(p, range);
    bool exact = true;
    for (const AffineRow& row : p.map.rows)
      exact &= row.modulus == 0;
    Box expected = box_around(cells, tensor_rank);
    ASSERT_TRUE(contains(region(p, range), expected)) << "seed " << seed;
    if (exact) {
      ASSERT_EQ(region(p, range), expected) << "seed " << seed << ": " << to_string(p);
    }
    std::erase_if(cells, [&](const auto& cell) { return cell.second != size(range); });
    Box core = box_around(cells, tensor_rank);
    if (exact) {
      ASSERT_EQ(common_core(p, range), core) << "seed " << seed << ": " << to_string(p);
    } else if (!is_empty(common_core(p, range))) {
      ASSERT_TRUE(contains(core, common_core(p, range))) << "seed " << seed;
    }
  }
}

TEST(RegionProperty, UnionAndWasteAgreeWithEnumeration) {
  for (uint32_t seed = 0; seed < 6000; ++seed) {
    std::mt19937 random(seed);
    Projection p = random_projection(random, 2, 2, seed % 5 == 0);
    Box range = random_box(random, 2);
    int64_t cells = static_cast<int64_t>(owners(p, range).size());
    ASSERT_EQ(union_size(p, range), cells) << "seed " << seed << ": " << to_string(p);
    if (cells > 0) {
      ASSERT_EQ(waste(p, range), size(region(p, range)) - cells) << "seed " << seed;
    }
  }
}

TEST(RegionProperty, HaloIsWhatTwoShardsShare) {
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    Projection p = random_projection(random, 2, 2, false, 1);
    Box range = with_range(random_box(random, 2, 1), 0, 0, random_between(random, 2, 5));
    int64_t cut = random_between(random, 1, range.end()[0] - 1);
    Box left = region(p, with_range(range, 0, 0, cut));
    Box right = region(p, with_range(range, 0, cut, range.end()[0]));
    Point expected;
    for (int k = 0; k < 2; ++k)
      expected.push_back(std::max<int64_t>(0, std::min(left.end()[k], right.end()[k]) -
                                                  std::max(left.start()[k], right.start()[k])));
    ASSERT_EQ(halo(p, range, 0), expected)
        << "seed " << seed << ": " << to_string(p) << " on " << to_string(range);
  }
}

TEST(RegionProperty, SymbolicRegionsInstantiate) {
  Extent n = Extent::symbol("n"), m = Extent::symbol("m");
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    Projection p = random_projection(random, 2, 2, false, 1);
    p.map.rows[0].offset = p.map.rows[0].offset + m;
    p.map.rows[1].divisor = random_between(random, 1, 3);
    p.size[1] = n + 1;
    std::map<std::string, int64_t> sizes{{"n", random() % 4}, {"m", random() % 4}};
    SymbolicBox symbolic = region(p, SymbolicBox{{m, 1}, {n + 1, m + 2}});
    Box range({sizes["m"], 1}, {sizes["m"] + sizes["n"] + 1, sizes["m"] + 3});
    Box expected = region(instantiate(p, sizes), range);
    for (int k = 0; k < 2; ++k) {
      ASSERT_EQ(symbolic.start[k].evaluate(sizes), expected.start()[k]) << "seed " << seed;
      ASSERT_EQ(symbolic.extent[k].evaluate(sizes), expected.extent(k)) << "seed " << seed;
    }
  }
}

} // namespace
} // namespace kolam::space
