// Accumulation orders: their text, and the tree that chunks merge in.
#include "kolam/support/accumulate.h"

#include <gtest/gtest.h>

#include <string>

namespace kolam {
namespace {

TEST(AccumulateText, IsReadAsItIsWritten) {
  for (const Accumulate& order :
       {kReduceLast, kReduceKept, kContractChain, kContractLanes, kOneChain,
        Accumulate{Order::chunk, 1, 1}, Accumulate{Order::lanes, 1, 1},
        Accumulate{Order::lanes, 1024, 7}})
    EXPECT_EQ(parse_accumulate(to_string(order)), order) << to_string(order);
  EXPECT_EQ(to_string(kReduceLast), "lanes<64>, chunk<4096>");
  EXPECT_EQ(to_string(kReduceKept), "chunk<64>");
  EXPECT_EQ(to_string(kContractChain), "chain<512>");
  EXPECT_EQ(to_string(kOneChain), "chain");
}

TEST(AccumulateText, RefusesWhatIsNoOrder) {
  for (const char* text : {"", "chunk", "chunk<>", "chunk<0>", "chunk<-1>", "chunk<64",
                           "chunk<64> ", "chunk<6x>", "chain<0>", "lanes<64>", "lanes<64>,chunk<8>",
                           "lanes<3>, chunk<8>", "lanes<2048>, chunk<8>", "lanes<64>, chain<8>",
                           "chunk<8>, lanes<64>", "chunk<99999999999999999999>"})
    EXPECT_EQ(parse_accumulate(text), std::nullopt) << text;
}

/// The tree of merges of `count` chunks, named 0, 1, ...
std::string tree_of(int count) {
  auto merge = [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; };
  ChunkTree<std::string, decltype(merge)> tree(merge);
  for (int chunk = 0; chunk < count; ++chunk)
    tree.push(std::to_string(chunk));
  return tree.finish().value_or("none");
}

TEST(ChunkTree, MergesPairsAndMovesAnOddOneUp) {
  EXPECT_EQ(tree_of(0), "none");
  EXPECT_EQ(tree_of(1), "0");
  EXPECT_EQ(tree_of(2), "(01)");
  EXPECT_EQ(tree_of(3), "((01)2)");
  EXPECT_EQ(tree_of(4), "((01)(23))");
  EXPECT_EQ(tree_of(5), "(((01)(23))4)");
  EXPECT_EQ(tree_of(7), "(((01)(23))((45)6))");
}

} // namespace
} // namespace kolam
