// Pytrees as keys: statics that differ in a bit or in where a text ends are traced apart.
#include "test/frontend/array/both_backends.h"

#include <cmath>

namespace kolam {
namespace {

/// How many programs `jit` traces for `statics`, each called twice.
template <class Static> int traces_of(const std::vector<Static>& statics) {
  int traces = 0;
  auto counted = jit([&](Tensor x, Static) {
    ++traces;
    return x + 1;
  });
  for (int round = 0; round < 2; ++round)
    for (const Static& value : statics)
      counted(Array::of<float>({1}), value);
  return traces;
}

TEST(Pytree, FloatsDifferByTheirLastBit) {
  EXPECT_EQ(traces_of<double>({0.1234567, 0.1234568}), 2);
  EXPECT_EQ(traces_of<double>({1.0, std::nextafter(1.0, 2.0), 0.0, -0.0}), 4);
  EXPECT_EQ(traces_of<std::vector<float>>({{1, 2}, {1, std::nextafterf(2, 3)}}), 2);
}

TEST(Pytree, UsesTheFloatThatItWasCalledWith) {
  auto scaled = jit([](Tensor x, double factor) { return x * factor; });
  Array x = Array::of<double>({1});
  EXPECT_EQ(Array(scaled(x, 0.1234567)).item<double>(), 0.1234567);
  EXPECT_EQ(Array(scaled(x, 0.1234568)).item<double>(), 0.1234568);
}

TEST(Pytree, TextsEndWhereTheyEnd) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(traces_of<Pair>({{"a','b", "c"}, {"a", "b','c"}, {"a1'", ""}, {"a", "1'"}}), 4);
  EXPECT_EQ(traces_of<std::string>({std::string("a\0b", 3), "a"}), 2);
}

TEST(Pytree, ListsOfFlagsAreStatic) {
  EXPECT_EQ(traces_of<std::vector<bool>>({{true, false}, {true, true}, {true}, {}}), 4);
}

} // namespace
} // namespace kolam
