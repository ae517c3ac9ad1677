// Regions of nests: together they are all points of a nest, each once.
#include "kolam/analysis/block_regions.h"

#include "kolam/driver/parse.h"
#include "test/analysis/stacked_scan.h"

#include <gtest/gtest.h>

#include <functional>

namespace kolam::analysis {
namespace {

TEST(BlockRegions, TogetherAreAllPointsOnce) {
  driver::Module module = driver::parse(test::kStackedScan, "test").program;
  BlockGraph graph = block_graph_of(module.main());
  ASSERT_EQ(graph.blocks.size(), 1u);
  std::vector<Region> regions = regions_of(graph.blocks[0]);
  ASSERT_EQ(regions.size(), 4u);
  std::map<std::string, int64_t> sizes;
  for (const Dim& dim : graph.blocks[0].dims)
    sizes[dim.length.to_string()] = 3 + static_cast<int64_t>(sizes.size());
  std::map<space::Point, int> seen;
  for (const Region& region : regions) {
    std::function<void(std::map<std::string, int64_t>, space::Point)> walk =
        [&](std::map<std::string, int64_t> names, space::Point at) {
          if (at.size() == region.loops.size()) {
            ++seen[space::image(region.transformation->inverse, at)];
            return;
          }
          const space::LoopBounds& loop = region.loops[at.size()];
          int64_t lower = INT64_MIN, upper = INT64_MAX;
          for (const Extent& bound : loop.lower)
            lower = std::max(lower, bound.evaluate(names));
          for (const Extent& bound : loop.upper)
            upper = std::min(upper, bound.evaluate(names));
          for (int64_t i = lower; i < upper; ++i) {
            names[loop.name] = i;
            space::Point inner = at;
            inner.push_back(i);
            walk(names, inner);
          }
        };
    walk(sizes, {});
  }
  EXPECT_EQ(seen.size(), 12u);
  for (const auto& [point, times] : seen)
    EXPECT_EQ(times, 1) << point[0] << ", " << point[1];
}

TEST(BlockRegions, BlocksWithoutBordersHaveNone) {
  Block block;
  block.dims = {{DimKind::map, Extent(3), false, {}}};
  EXPECT_TRUE(regions_of(block).empty());
  block.dims.assign(7, {DimKind::scan, Extent(3), false, {}});
  EXPECT_TRUE(regions_of(block).empty());
}

/// A block of two scans of n steps that reads its own buffer at `index`.
Region last_region(const Shape& index) {
  Block block;
  block.dims.assign(2, {DimKind::scan, Extent::symbol("n"), false, {}});
  block.writes = {{{0, dim_symbols(2), {}}, 0}};
  block.reads = {{"", {{0, index, {}}}}};
  return regions_of(block).back();
}

TEST(BlockRegions, ADimAlongWhichAllGoForwardGoesOutermost) {
  Extent i0 = Extent::symbol("i0"), i1 = Extent::symbol("i1"), n = Extent::symbol("n");
  Region region = last_region({n - i0 - Extent(1), i1 - Extent(1)});
  EXPECT_EQ(to_string(region.distances[0]), "(*, 1)");
  EXPECT_EQ(space::to_string(region.transformation->matrix), "[0 1; 1 0]");
}

TEST(BlockRegions, DistancesThatDifferKeepTheOrder) {
  Extent i0 = Extent::symbol("i0"), i1 = Extent::symbol("i1"), n = Extent::symbol("n");
  EXPECT_FALSE(last_region({i0, n - i1 - Extent(1)}).transformation);
}

} // namespace
} // namespace kolam::analysis
