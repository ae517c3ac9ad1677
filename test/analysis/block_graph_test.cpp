// Edges of block graphs as affine maps, and what is printed of them.
#include "kolam/analysis/block_graph.h"

#include "test/analysis/program_file.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

std::vector<std::string> dims_of(const Block& block) {
  std::vector<std::string> names;
  for (size_t dim = 0; dim < block.dims.size(); ++dim)
    names.push_back(dim_name(dim));
  return names;
}

std::string matrix(const Part& part, const Block& block) {
  return space::to_string(affine_map_of(part.index, dims_of(block)).value());
}

TEST(BlockGraph, BackToBackProductsHaveTheMatricesOfTheReference) {
  driver::Module module = test::program("block_graph_back_to_back.mlir");
  BlockGraph graph = block_graph_of(module.main());
  ASSERT_EQ(graph.blocks.size(), 2u);
  const Block &inner = graph.blocks[0], &outer = graph.blocks[1];
  EXPECT_EQ(matrix(inner.reads[0].parts[0], inner), "[1 0 0 0 | 0; 0 0 0 1 | 0]");
  EXPECT_EQ(matrix(inner.reads[1].parts[0], inner), "[0 0 1 0 | 0; 0 0 0 1 | 0]");
  EXPECT_EQ(matrix(inner.reads[2].parts[1], inner),
            "[1 0 0 0 | 0; 0 1 0 0 | 0; 0 0 1 0 | 0; 0 0 0 1 | -1]");
  EXPECT_EQ(matrix(outer.reads[0].parts[0], outer), "[0 1 0 | 0; 0 0 1 | 0]");
  EXPECT_EQ(matrix(outer.writes[1].part, outer), "[1 0 0 | 0; 0 1 0 | 0]");
  EXPECT_EQ(to_string(inner.distances[0]), "(0, 0, 0, 1)");
}

TEST(BlockGraph, TheShortTextHasDimsAndMaps) {
  driver::Module module = test::program("block_graph_back_to_back.mlir");
  EXPECT_EQ(short_text(block_graph_of(module.main())),
            R"(block b0: map i0 < L0, map i1 < L1, fold i2 < L2, fold i3 < L3
  reads arg0[i0][i3], arg2[i2][i3], b0.0[i0][i1][i2][i3 - 1]
block b1: map i0 < L0, map i1 < L1, fold i2 < L2
  reads arg4[i1][i2], b0.0[i0][i1][i2][L3 - 1], b1.0[i0][i1][i2 - 1]
  L0: length of arg0
  L1: length of arg4
  L2: length of arg2
  L3: length of arg0[i0]
  L4: length of arg2[i2]
)");
}

} // namespace
} // namespace kolam::analysis
