// Tuning from C++: calls follow what was measured, with the same bits.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

Array values(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  float next = -1;
  for (float& value : array.mutable_values<float>())
    value = next += 0.001f;
  return array;
}

TEST(Tune, MeasuresAndChangesNoBit) {
  auto layer = jit([](Tensor x, Tensor w) { return relu(matmul(x, w)); });
  Array x = values({30, 20}), w = values({20, 40});
  Array before = layer(x, w);
  std::vector<TunedNest> nests = tune(layer, {.budget = 1000}, x, w);
  ASSERT_EQ(nests.size(), 1u);
  EXPECT_EQ(nests[0].measured, nests[0].possible);
  EXPECT_GT(nests[0].possible, 1);
  EXPECT_TRUE(same_bits(layer(x, w), before));
}

TEST(Tune, RefusesWhatCannotBeTuned) {
  auto refusal = [](auto f, double budget) {
    try {
      tune(f, {.budget = budget}, values({3}));
    } catch (const Error& error) {
      return error.slug();
    }
    return std::string("none");
  };
  auto add = [](Tensor x) { return x + 1; };
  EXPECT_EQ(refusal(jit(add), 0), "bad-option");
  EXPECT_EQ(refusal(jit(add, {.backend = Backend::interpret}), 1), "bad-option");
}

} // namespace
} // namespace kolam
