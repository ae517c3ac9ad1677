// Monoids and reduction trees: T5 and T6 of the reference.
#include "kolam/space/monoid.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "test/space/random_space.h"

namespace kolam::space {
namespace {

using Moments = std::array<double, 3>; // n, sum, sum of squares

Moments merge(const Moments& a, const Moments& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Moments wrap(double x) { return {1, x, x * x}; }

TEST(Monoid, T5StandardDeviation) {
  Moments zero{0, 0, 0};
  Moments left = merge_pairwise({wrap(1), wrap(2)}, zero, merge);
  Moments right = merge_pairwise({wrap(3), wrap(4), wrap(5), wrap(6)}, zero, merge);
  Moments all = merge(left, right);
  EXPECT_EQ(all, (Moments{6, 21, 91}));
  double variance = all[2] / all[0] - (all[1] / all[0]) * (all[1] / all[0]);
  EXPECT_NEAR(variance, 35.0 / 12.0, 1e-12); // one subtraction of numbers below 16
  EXPECT_NEAR(std::sqrt(variance), 1.7078251, 1e-7);
  EXPECT_EQ(merge_pairwise({}, zero, merge), zero);
  EXPECT_EQ(merge(all, zero), all);
}

TEST(Monoid, T6TreeSizes) {
  EXPECT_EQ(tree_sizes(1000, 10), (std::vector<int64_t>{100, 10, 1}));
  EXPECT_EQ(tree_sizes(1000, 2).size(), 10u);
  EXPECT_EQ(tree_sizes(1024, 32), (std::vector<int64_t>{32, 1}));
  EXPECT_EQ(tree_sizes(100, 8), (std::vector<int64_t>{13, 2, 1}));
  EXPECT_EQ(tree_sizes(7, 2), (std::vector<int64_t>{4, 2, 1}));
  EXPECT_TRUE(tree_sizes(1, 2).empty());
  EXPECT_TRUE(tree_sizes(0, 2).empty());
  EXPECT_EQ(slug_of([] { tree_sizes(10, 1); }), "space-tree");
}

TEST(Monoid, PairwiseTreeMovesTheOddOneUp) {
  EXPECT_EQ(pairwise_tree(5), (std::vector<Merge>{{0, 1}, {2, 3}, {0, 2}, {0, 4}}));
  EXPECT_TRUE(pairwise_tree(1).empty());
  EXPECT_EQ(chunk_count(8193, 4096), 3);
  EXPECT_EQ(chunk_count(0, 4096), 0);
  EXPECT_EQ(slug_of([] { chunk_count(1, 0); }), "space-tree");
}

TEST(Monoid, Prints) {
  EXPECT_EQ(to_string(Monoid{"sum", {DType::f32}}), "sum<float32>");
  EXPECT_EQ(to_string(Monoid{"last", {DType::i32, DType::boolean}, false, true, true}),
            "last<int32, bool> noncommutative exact idempotent");
}

TEST(MonoidProperty, TreesMergeInOrder) {
  for (int64_t count = 0; count < 200; ++count) {
    std::vector<std::string> letters;
    std::string expected;
    for (int64_t i = 0; i < count; ++i) {
      letters.push_back(std::string(1, static_cast<char>('a' + i % 26)));
      expected += letters.back();
    }
    // Concatenation is associative and not commutative: any other order shows.
    EXPECT_EQ(merge_pairwise(letters, std::string(), std::plus<std::string>()), expected);
    EXPECT_EQ(static_cast<int64_t>(pairwise_tree(count).size()), std::max<int64_t>(0, count - 1));
  }
}

} // namespace
} // namespace kolam::space
