// Dims of blocks that become one.
#include "kolam/analysis/merged_dims.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

Extent symbol(const char* name) { return Extent::symbol(name); }

std::vector<Dim> maps(const std::vector<const char*>& lengths) {
  std::vector<Dim> dims;
  for (const char* length : lengths)
    dims.push_back({DimKind::map, symbol(length), false, {}});
  return dims;
}

TEST(MergedDims, AttentionReadsItsKeysByADivision) {
  // Batch, head and block of queries as one dim: queries are read in its order, keys again for each
  // block of queries.
  Replacements merged = merged_dims(maps({"B", "H", "L"}), 0, 2);
  Shape query{symbol("i0"), symbol("i1"), symbol("i2")}, key{symbol("i0"), symbol("i1")};
  auto numbered = [&](const Shape& index, const Shape& lengths) {
    return row_major(index, lengths).substitute(merged).to_string();
  };
  EXPECT_EQ(numbered(query, {symbol("B"), symbol("H"), symbol("L")}), "i0");
  EXPECT_EQ(numbered(key, {symbol("B"), symbol("H")}), "floordiv(i0, L)");
}

TEST(MergedDims, EachPointIsMetOnce) {
  std::map<std::string, int64_t> sizes{{"A", 2}, {"B", 3}, {"C", 4}};
  Replacements merged = merged_dims(maps({"A", "B", "C"}), 1, 2);
  for (int64_t i = 0; i < 12; ++i) {
    sizes["i1"] = i;
    EXPECT_EQ(merged.at("i1").evaluate(sizes), i / 4);
    EXPECT_EQ(merged.at("i2").evaluate(sizes), i % 4);
  }
  EXPECT_FALSE(merged.contains("i0"));
}

} // namespace
} // namespace kolam::analysis
