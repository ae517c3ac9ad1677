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

/// The schedule that the rules choose for the only nest of a program.
std::string schedule_of(const Program& program) {
  std::string text = program.as_text("nests");
  return text.substr(text.rfind("\nnest0\n") + 7);
}

TEST(Schedules, AreTakenByHandAndChangeNoBit) {
  auto add = [](Tensor x) { return exp(x) + x; };
  Array x = values({40, 100});
  auto by_rules = jit(add);
  std::string text = schedule_of(by_rules.lower(x));
  auto by_hand = jit(add, {.schedules = {{"nest0", text}}});
  Array expected = by_rules(x);
  EXPECT_TRUE(same_bits(by_hand(x), expected));
  EXPECT_EQ(schedule_of(by_hand.lower(x)), text);
  EXPECT_EQ(by_hand.lower(x).schedule_faults(), std::vector<std::string>());
  try {
    jit(add, {.schedules = {{"nest0", "ops y"}}})(x);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "bad-schedule");
    EXPECT_NE(std::string(error.what()).find("nest0: ops: the nest has y exp1"), std::string::npos)
        << error.what();
  }
}

} // namespace
} // namespace kolam
