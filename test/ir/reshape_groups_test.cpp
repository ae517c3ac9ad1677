// Groups of dims: finest, covering, with equal products.
#include "kolam/ir/reshape_groups.h"

#include <gtest/gtest.h>

namespace kolam::ir {
namespace {

/// `0+1>0 1+2>1+1`: first and count of each side.
std::string text_of(const Shape& from, const Shape& to) {
  std::string text;
  auto range = [](DimRange dims) {
    return std::to_string(dims.first) + "+" + std::to_string(dims.count);
  };
  for (const ReshapeGroup& group : reshape_groups(from, to))
    text += (text.empty() ? "" : " ") + range(group.from) + ">" + range(group.to);
  return text;
}

const Extent n = Extent::symbol("n"), m = Extent::symbol("m");

TEST(ReshapeGroups, KeepsEqualDimsApart) {
  EXPECT_EQ(text_of({n, 64}, {n, 8, 8}), "0+1>0+1 1+1>1+2");
  EXPECT_EQ(text_of({2, 3, 4}, {2, 3, 4}), "0+1>0+1 1+1>1+1 2+1>2+1");
}

TEST(ReshapeGroups, CollapsesAndExpands) {
  EXPECT_EQ(text_of({2, 6}, {4, 3}), "0+2>0+2");
  EXPECT_EQ(text_of({m, n, 2}, {n * m, 2}), "0+2>0+1 2+1>1+1");
}

TEST(ReshapeGroups, FindsEqualDimsFromTheBack) {
  EXPECT_EQ(text_of({n, 4, 64}, {m, 4, 64}), "0+1>0+1 1+1>1+1 2+1>2+1");
  EXPECT_EQ(text_of({n, 8, 64}, {m, 64}), "0+2>0+1 2+1>1+1");
  EXPECT_EQ(text_of({2, n, 3, 5}, {2, m, 15}), "0+1>0+1 1+1>1+1 2+2>2+1");
}

TEST(ReshapeGroups, PutsTheRestIntoTheLast) {
  EXPECT_EQ(text_of({3}, {3, 1, 1}), "0+1>0+1 1+0>1+2");
  EXPECT_EQ(text_of({n}, {m, 4}), "0+1>0+2");
  EXPECT_EQ(text_of({}, {}), "");
}

} // namespace
} // namespace kolam::ir
