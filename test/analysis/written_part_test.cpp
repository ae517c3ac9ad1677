// What lists show of buffers, as writes of the buffers' blocks.
#include "kolam/analysis/written_part.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

Shape expressions(const std::vector<std::string>& texts) {
  Shape result;
  for (const std::string& text : texts)
    result.push_back(Extent::parse(text).value());
  return result;
}

std::string written(const std::vector<std::string>& index, size_t depth,
                    std::vector<PlaceBounds> where = {}) {
  Terms terms;
  Placing placing(terms);
  auto part = written_part({0, expressions(index), std::move(where)}, depth, placing);
  if (!part)
    return "nothing";
  std::string text = to_string(part->index);
  for (const PlaceBounds& range : part->where)
    text += " " + range.lower.to_string() + " <= " + range.value.to_string() + " < " +
            range.upper.to_string();
  return text;
}

TEST(WrittenPart, MovesAndTurns) {
  EXPECT_EQ(written({"k0"}, 1), "[i0]");
  EXPECT_EQ(written({"k0 - 2"}, 1, {{Extent::symbol("k0"), 2, Extent::symbol("L")}}),
            "[i0 + 2] 0 <= i0 < L - 2");
  EXPECT_EQ(written({"n - k0 - 1", "k1 + 1"}, 2), "[n - i0 - 1, i1 - 1]");
  EXPECT_EQ(written({"k1", "k0"}, 2), "[i1, i0]");
}

TEST(WrittenPart, OneStepOfAFold) {
  EXPECT_EQ(written({"k0", "D - 1"}, 1), "[i0] D - 1 <= i1 < D");
}

TEST(WrittenPart, StridedRows) {
  EXPECT_EQ(written({"k0 - 3*floordiv(k0, 3)", "floordiv(k0, 3)"}, 1), "[i0 + 3*i1] 0 <= i0 < 3");
}

TEST(WrittenPart, OtherIndicesAreNotSolved) {
  EXPECT_EQ(written({"2*k0"}, 1), "nothing");
  EXPECT_EQ(written({"k0 + k1"}, 2), "nothing");
  EXPECT_EQ(written({"3"}, 1), "nothing");
}

} // namespace
} // namespace kolam::analysis
