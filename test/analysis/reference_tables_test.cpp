// The reference's tables, line by line: maps of edges and bounds of loops, in its names.
#include "kolam/analysis/block_regions.h"

#include "test/analysis/program_file.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

using Names = std::vector<std::string>;

/// A program of the reference with the names that it has for dims, loops and lengths.
struct Table {
  explicit Table(const std::string& file) : module(test::program(file)) {}

  driver::Module module;
  BlockGraph graph = block_graph_of(module.main());
  Names dims, loops;
  Replacements lengths;

  std::vector<Region> regions(size_t block) const { return regions_of(graph.blocks[block]); }

  /// `m = d + l, d = d, n = n`.
  std::string order(const Region& region) const {
    std::string text;
    for (size_t loop = 0; loop < loops.size(); ++loop) {
      Extent sum(0);
      for (size_t dim = 0; dim < dims.size(); ++dim)
        sum = sum + Extent(region.transformation->matrix[loop][dim]) * Extent::symbol(dims[dim]);
      text += (loop ? ", " : "") + loops[loop] + " = " + sum.to_string();
    }
    return text;
  }
  /// `2 <= m < D + L - 1; ...`.
  std::string bounds(const Region& region) const {
    Replacements names = lengths;
    for (size_t loop = 0; loop < loops.size(); ++loop) {
      names.emplace("i" + std::to_string(loop), Extent::symbol(dims[loop]));
      names.emplace("t" + std::to_string(loop), Extent::symbol(loops[loop]));
    }
    std::vector<space::LoopBounds> renamed = region.loops;
    for (size_t loop = 0; loop < renamed.size(); ++loop) {
      renamed[loop].name = loops[loop];
      for (Shape* all : {&renamed[loop].lower, &renamed[loop].upper})
        for (Extent& bound : *all)
          bound = bound.substitute(names);
    }
    return space::to_string(renamed);
  }
  /// The maps of an edge of one part as [matrix | offset], before and after the loops are
  /// reordered.
  std::string edge(const RegionRead& edge) const {
    Names before, after;
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      before.push_back("i" + std::to_string(dim));
      after.push_back("t" + std::to_string(dim));
    }
    auto map = [&](const std::vector<Part>& parts, const Names& names) {
      return space::to_string(affine_map_of(parts.at(0).index, names).value());
    };
    return graph.buffers[edge.parts.at(0).buffer].name + " " + map(edge.parts, before) + " -> " +
           map(edge.reordered, after);
  }
};

Table stacked_lstm() {
  Table table("block_graph_stacked_lstm.mlir");
  table.dims = {"n", "d", "l"};
  table.lengths = {
      {"L0", Extent::symbol("N")}, {"L1", Extent::symbol("D")}, {"L2", Extent::symbol("L")}};
  return table;
}

/// The outer scan goes over the target, the inner one over the source.
Table grid_rnn() {
  Table table("block_graph_grid_rnn.mlir");
  table.dims = {"k", "d", "i", "j"};
  table.loops = {"m", "n", "p", "q"};
  table.lengths = {{"L0", Extent::symbol("N")},
                   {"L3", Extent::symbol("D")},
                   {"L2", Extent::symbol("SL")},
                   {"L1", Extent::symbol("TL")}};
  return table;
}

TEST(ReferenceTables, StackedLstmHas24EdgesBeforeAndAfter) {
  Table table = stacked_lstm();
  std::string text;
  int edges = 0;
  for (const Region& region : table.regions(0)) {
    text += to_string(region.steps) + "\n";
    for (const auto* all : {&region.reads, &region.writes})
      for (const RegionRead& edge : *all) {
        if (table.graph.buffers[edge.parts.at(0).buffer].name == "result0")
          continue; // shows a buffer
        text += "  " + table.edge(edge) + "\n";
        ++edges;
      }
  }
  EXPECT_EQ(edges, 24);
  EXPECT_EQ(text, R"((*, 0, 0)
  arg0 [1 0 0 | 0; 0 0 1 | 0] -> [1 0 0 | 0; 0 0 1 | 0]
  arg2 [1 0 0 | 0] -> [1 0 0 | 0]
  arg3 [0 1 0 | 0] -> [0 1 0 | 0]
  arg2 [1 0 0 | 0] -> [1 0 0 | 0]
  b0.0 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | 0] -> [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | 0]
  b0.1 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | 0] -> [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | 0]
(*, 0, >0)
  arg0 [1 0 0 | 0; 0 0 1 | 0] -> [0 0 1 | 0; 1 0 0 | 0]
  b0.1 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | -1] -> [0 0 1 | 0; 0 1 0 | 0; 1 0 0 | -1]
  arg3 [0 1 0 | 0] -> [0 1 0 | 0]
  b0.0 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | -1] -> [0 0 1 | 0; 0 1 0 | 0; 1 0 0 | -1]
  b0.0 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | 0] -> [0 0 1 | 0; 0 1 0 | 0; 1 0 0 | 0]
  b0.1 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | 0] -> [0 0 1 | 0; 0 1 0 | 0; 1 0 0 | 0]
(*, >0, 0)
  b0.1 [1 0 0 | 0; 0 1 0 | -1; 0 0 1 | 0] -> [0 0 1 | 0; 1 0 0 | -1; 0 1 0 | 0]
  arg2 [1 0 0 | 0] -> [0 0 1 | 0]
  arg3 [0 1 0 | 0] -> [1 0 0 | 0]
  arg2 [1 0 0 | 0] -> [0 0 1 | 0]
  b0.0 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | 0] -> [0 0 1 | 0; 1 0 0 | 0; 0 1 0 | 0]
  b0.1 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | 0] -> [0 0 1 | 0; 1 0 0 | 0; 0 1 0 | 0]
(*, >0, >0)
  b0.1 [1 0 0 | 0; 0 1 0 | -1; 0 0 1 | 0] -> [0 0 1 | 0; 0 1 0 | -1; 1 -1 0 | 0]
  b0.1 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | -1] -> [0 0 1 | 0; 0 1 0 | 0; 1 -1 0 | -1]
  arg3 [0 1 0 | 0] -> [0 1 0 | 0]
  b0.0 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | -1] -> [0 0 1 | 0; 0 1 0 | 0; 1 -1 0 | -1]
  b0.0 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | 0] -> [0 0 1 | 0; 0 1 0 | 0; 1 -1 0 | 0]
  b0.1 [1 0 0 | 0; 0 1 0 | 0; 0 0 1 | 0] -> [0 0 1 | 0; 0 1 0 | 0; 1 -1 0 | 0]
)");
}

TEST(ReferenceTables, StackedLstmOrdersAndBounds) {
  Table table = stacked_lstm();
  std::string text;
  const std::vector<Names> loops{
      {"n", "d", "l"}, {"l", "d", "n"}, {"d", "l", "n"}, {"m", "d", "n"}};
  for (auto [number, region] : llvm::enumerate(table.regions(0))) {
    table.loops = loops[number];
    text += table.order(region) + "\n  " + table.bounds(region) + "\n";
  }
  EXPECT_EQ(text, R"(n = n, d = d, l = l
  0 <= n < N; 0 <= d < 1; 0 <= l < 1
l = l, d = d, n = n
  1 <= l < L; 0 <= d < 1; 0 <= n < N
d = d, l = l, n = n
  1 <= d < D; 0 <= l < 1; 0 <= n < N
m = d + l, d = d, n = n
  2 <= m < D + L - 1; max(1, m - L + 1) <= d < min(m, D); 0 <= n < N
)");
}

/// Rows of the tensors that the reads of a wave start at, in buffers [depth][length][sequence].
TEST(ReferenceTables, AddressesOfAWaveHaveOneStride) {
  Table table = stacked_lstm();
  const int64_t depth = 4, length = 7, sequences = 2, wave = 3;
  Region region = table.regions(0).back();
  std::map<std::string, int64_t> at{
      {"L0", sequences}, {"L1", depth}, {"L2", length}, {"t0", wave}, {"t2", 0}};
  auto addresses = [&](const RegionRead& edge) {
    const space::LoopBounds& loop = region.loops[1];
    int64_t lower = 0, upper = INT64_MAX;
    for (const Extent& bound : loop.lower)
      lower = std::max(lower, bound.evaluate(at));
    for (const Extent& bound : loop.upper)
      upper = std::min(upper, bound.evaluate(at));
    std::vector<int64_t> result;
    for (at["t1"] = lower; at["t1"] < upper; ++at["t1"]) {
      const Shape& index = edge.reordered.at(0).index; // sequence, layer, step
      result.push_back((index[1].evaluate(at) * length + index[2].evaluate(at)) * sequences +
                       index[0].evaluate(at));
    }
    return result;
  };
  EXPECT_EQ(addresses(region.writes[1]), (std::vector<int64_t>{18, 30})); // y
  EXPECT_EQ(addresses(region.reads[0]), (std::vector<int64_t>{4, 16}));   // x
  EXPECT_EQ(addresses(region.reads[1]), (std::vector<int64_t>{16, 28}));  // h
}

TEST(ReferenceTables, GridRnnOrdersAndBounds) {
  Table table = grid_rnn();
  std::string text;
  for (const Region& region : table.regions(2))
    text +=
        to_string(region.steps) + " " + table.order(region) + "\n  " + table.bounds(region) + "\n";
  EXPECT_EQ(text, R"((*, 0, 0, 0) m = k, n = d, p = i, q = j
  0 <= m < N; 0 <= n < 1; 0 <= p < 1; 0 <= q < 1
(*, 0, 0, >0) m = j, n = d, p = i, q = k
  1 <= m < TL; 0 <= n < 1; 0 <= p < 1; 0 <= q < N
(*, 0, >0, 0) m = i, n = d, p = j, q = k
  1 <= m < SL; 0 <= n < 1; 0 <= p < 1; 0 <= q < N
(*, 0, >0, >0) m = i + j, n = i, p = d, q = k
  2 <= m < SL + TL - 1; max(1, m - TL + 1) <= n < min(m, SL); 0 <= p < 1; 0 <= q < N
(*, >0, 0, 0) m = d, n = i, p = j, q = k
  1 <= m < D; 0 <= n < 1; 0 <= p < 1; 0 <= q < N
(*, >0, 0, >0) m = d + j, n = d, p = i, q = k
  2 <= m < D + TL - 1; max(1, m - TL + 1) <= n < min(m, D); 0 <= p < 1; 0 <= q < N
(*, >0, >0, 0) m = d + i, n = d, p = j, q = k
  2 <= m < D + SL - 1; max(1, m - SL + 1) <= n < min(m, D); 0 <= p < 1; 0 <= q < N
(*, >0, >0, >0) m = d + i + j, n = d, p = i, q = k
  3 <= m < D + SL + TL - 2; max(1, m - SL - TL + 2) <= n < min(m - 1, D); max(1, m - TL - n + 1) <= p < min(m - n, SL); 0 <= q < N
)");
}

/// state_x is that of the row before, state_y of the place before, x_t and y_t those of the layer
/// before: buffer b2.0 is slot 0, b2.1 slot 1.
TEST(ReferenceTables, GridRnnReadsOfStates) {
  Table table = grid_rnn();
  std::string text;
  for (const Region& region : table.regions(2)) {
    text += to_string(region.steps) + "\n";
    for (const RegionRead& edge : region.reads)
      if (table.graph.buffers[edge.parts.at(0).buffer].name.starts_with("b2"))
        text += "  " + table.edge(edge) + "\n";
  }
  EXPECT_EQ(text, R"((*, 0, 0, 0)
(*, 0, 0, >0)
  b2.1 [1 0 0 0 | 0; 0 1 0 0 | 0; 0 0 1 0 | 0; 0 0 0 1 | -1] -> [0 0 0 1 | 0; 0 1 0 0 | 0; 0 0 1 0 | 0; 1 0 0 0 | -1]
(*, 0, >0, 0)
  b2.0 [1 0 0 0 | 0; 0 1 0 0 | 0; 0 0 1 0 | -1; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 0 1 0 0 | 0; 1 0 0 0 | -1; 0 0 1 0 | 0]
(*, 0, >0, >0)
  b2.0 [1 0 0 0 | 0; 0 1 0 0 | 0; 0 0 1 0 | -1; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 0 0 1 0 | 0; 0 1 0 0 | -1; 1 -1 0 0 | 0]
  b2.1 [1 0 0 0 | 0; 0 1 0 0 | 0; 0 0 1 0 | 0; 0 0 0 1 | -1] -> [0 0 0 1 | 0; 0 0 1 0 | 0; 0 1 0 0 | 0; 1 -1 0 0 | -1]
(*, >0, 0, 0)
  b2.0 [1 0 0 0 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 1 0 0 0 | -1; 0 1 0 0 | 0; 0 0 1 0 | 0]
  b2.1 [1 0 0 0 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 1 0 0 0 | -1; 0 1 0 0 | 0; 0 0 1 0 | 0]
(*, >0, 0, >0)
  b2.1 [1 0 0 0 | 0; 0 1 0 0 | 0; 0 0 1 0 | 0; 0 0 0 1 | -1] -> [0 0 0 1 | 0; 0 1 0 0 | 0; 0 0 1 0 | 0; 1 -1 0 0 | -1]
  b2.0 [1 0 0 0 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 1 -1 0 0 | 0]
  b2.1 [1 0 0 0 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 1 -1 0 0 | 0]
(*, >0, >0, 0)
  b2.0 [1 0 0 0 | 0; 0 1 0 0 | 0; 0 0 1 0 | -1; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 0 1 0 0 | 0; 1 -1 0 0 | -1; 0 0 1 0 | 0]
  b2.0 [1 0 0 0 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 0 1 0 0 | -1; 1 -1 0 0 | 0; 0 0 1 0 | 0]
  b2.1 [1 0 0 0 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 0 1 0 0 | -1; 1 -1 0 0 | 0; 0 0 1 0 | 0]
(*, >0, >0, >0)
  b2.0 [1 0 0 0 | 0; 0 1 0 0 | 0; 0 0 1 0 | -1; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 0 1 0 0 | 0; 0 0 1 0 | -1; 1 -1 -1 0 | 0]
  b2.1 [1 0 0 0 | 0; 0 1 0 0 | 0; 0 0 1 0 | 0; 0 0 0 1 | -1] -> [0 0 0 1 | 0; 0 1 0 0 | 0; 0 0 1 0 | 0; 1 -1 -1 0 | -1]
  b2.0 [1 0 0 0 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 1 -1 -1 0 | 0]
  b2.1 [1 0 0 0 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 0 0 0 1 | 0] -> [0 0 0 1 | 0; 0 1 0 0 | -1; 0 0 1 0 | 0; 1 -1 -1 0 | 0]
)");
}

TEST(ReferenceTables, DilatedLstmHasTwoRegionsInEachLayer) {
  Table table("block_graph_dilated_lstm.mlir");
  table.dims = {"n", "r", "l"};
  table.lengths = {{"L0", Extent::symbol("N")}, {"L1", Extent::symbol("L")}};
  std::string text;
  for (size_t layer : {0, 1}) {
    std::vector<Region> regions = table.regions(layer);
    ASSERT_EQ(regions.size(), 2u);
    for (auto [number, region] : llvm::enumerate(regions)) {
      table.loops = number ? Names{"l", "n", "r"} : Names{"n", "r", "l"};
      text += table.order(region) + "\n  " + table.bounds(region) + "\n";
    }
  }
  EXPECT_EQ(text, R"(n = n, r = r, l = l
  0 <= n < N; 0 <= r < 1; 0 <= l < 1
l = l, n = n, r = r
  1 <= l < max(0, L - r); 0 <= n < N; 0 <= r < 1
n = n, r = r, l = l
  0 <= n < N; 0 <= r < 2; 0 <= l < 1
l = l, n = n, r = r
  1 <= l < ceildiv(max(0, L - r), 2); 0 <= n < N; 0 <= r < 2
)");
}

TEST(ReferenceTables, BigBirdReadsWindowsAndWritesAtOffsets) {
  Table table("block_graph_bigbird.mlir");
  const int64_t length = 9;
  std::map<std::string, int64_t> at{{"L1", length}, {"L2", length}, {"L3", length}, {"i0", 0}};
  const Block &whole = table.graph.blocks[0], &middle = table.graph.blocks[1];
  EXPECT_EQ(whole.dims[1].length.evaluate(at), 2);           // 0 <= j2 < 2
  EXPECT_EQ(middle.dims[1].length.evaluate(at), length - 4); // 2 <= j2 < L - 2
  for (int64_t row = 0; row < length - 4; ++row) {
    at["i1"] = row;
    const int64_t i = row + 2;
    EXPECT_EQ(middle.writes[1].part.index[1].evaluate(at), i); // of the joined result
    std::vector<int64_t> window;
    for (at["k0"] = 0; at["k0"] < 3; ++at["k0"])
      window.push_back(middle.reads[0].parts[0].index[1].evaluate(at));
    EXPECT_EQ(window, (std::vector<int64_t>{(i - 1 + length) % length, i, (i + 1) % length}));
    EXPECT_EQ(middle.reads[0].parts[1].index[1].evaluate(at), 0);
    EXPECT_EQ(middle.reads[0].parts[2].index[1].evaluate(at), length - 1);
  }
}

} // namespace
} // namespace kolam::analysis
