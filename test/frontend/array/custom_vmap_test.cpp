// Functions with rules of their own for many instances.
#include "kolam/kolam.h"

#include "test/error/expect_words.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

Tensor rows() { return Array::of<float>({1, 2, 3, 4, 5, 6}, {3, 2}); }

TEST(CustomVmap, TheRuleGetsAllInstances) {
  int calls = 0;
  auto f = custom_vmap([](Tensor x, Tensor y) { return x * y; });
  f.def_vmap([&](Extent size, std::vector<bool> in_batched, Tensor x, Tensor y) {
    ++calls;
    EXPECT_EQ(size, Extent(3));
    EXPECT_EQ(in_batched, (std::vector<bool>{true, false}));
    return std::pair(x * y + 1, std::vector<bool>{true});
  });
  Tensor y = Array::of<float>({1, 10}, {2});
  Array z = vmap(f, {.in_axes = {0, std::nullopt}})(rows(), y).array();
  EXPECT_EQ(z.values<float>()[3], 41);
  EXPECT_EQ(f(rows(), y).array().values<float>()[3], 40);
  EXPECT_EQ(calls, 1);
}

TEST(CustomVmap, RulesThatDoNotFit) {
  auto f = custom_vmap([](Tensor x) { return x * 2; });
  test::expect_words([&] { f(rows()); }, ErrorKind::value,
                     "custom_vmap: [custom-rule] custom_vmap: expected a rule before");
  f.def_vmap(
      [](Extent, std::vector<bool>, Tensor x) { return std::pair(sum(x), std::vector{true}); });
  test::expect_mention([&] { vmap(f)(rows()); }, "[custom-rule]",
                       "result 0, which is batched: expected float32[3, 2], but got float32[]");
}

} // namespace
} // namespace kolam
