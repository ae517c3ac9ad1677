// Regions of nests: together they are all points of a nest, each once.
#include "kolam/analysis/block_regions.h"

#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

#include <functional>

namespace kolam::analysis {
namespace {

/// A nest of a fold over weights of a scan over a list.
constexpr const char* kStacked = R"(
func.func @main(%x: tensor<?xf32, #kolam.extents<["n0"]>>, %w: tensor<?xf32, #kolam.extents<["n1"]>>) -> tensor<?xf32, #kolam.extents<["_0"]>> {
  %xs = kolam.pack %x : (tensor<?xf32, #kolam.extents<["n0"]>>) -> !kolam.list<tensor<f32>>
  %ws = kolam.pack %w : (tensor<?xf32, #kolam.extents<["n1"]>>) -> !kolam.list<tensor<f32>>
  %r:2 = kolam.list_scan carry(%xs) over(%ws) reverse false associative false : (!kolam.list<tensor<f32>>, !kolam.list<tensor<f32>>) -> (!kolam.list<tensor<f32>>, !kolam.list<!kolam.list<tensor<f32>>>) {
  ^bb0(%layer: !kolam.list<tensor<f32>>, %weight: tensor<f32>):
    %zero = kolam.constant dense<0.0> : tensor<f32>
    %s:2 = kolam.list_scan carry(%zero) over(%layer) captures(%weight) reverse false associative false : (tensor<f32>, !kolam.list<tensor<f32>>, tensor<f32>) -> (tensor<f32>, !kolam.list<tensor<f32>>) {
    ^bb0(%h: tensor<f32>, %in: tensor<f32>, %v: tensor<f32>):
      %p = kolam.elementwise "multiply" %in, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %q = kolam.elementwise "add" %h, %p : (tensor<f32>, tensor<f32>) -> tensor<f32>
      kolam.yield %q : tensor<f32>
    }
    kolam.yield %s#1 : !kolam.list<tensor<f32>>
  }
  %leaves = kolam.unpack %r#0 symbols ["_0"] : (!kolam.list<tensor<f32>>) -> tensor<?xf32, #kolam.extents<["_0"]>>
  return %leaves : tensor<?xf32, #kolam.extents<["_0"]>>
}
)";

TEST(BlockRegions, TogetherAreAllPointsOnce) {
  driver::Module module = driver::parse(kStacked, "test").program;
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
