// Checks of the user's, and errors as values.
#include "kolam/kolam.h"

#include "test/error/expect_words.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kolam {
namespace {

using test::expect_mention;
using test::expect_words;

Tensor positive(Tensor x) {
  check(x > 0, "expected a positive x, but got {}", x);
  return sqrt(x);
}

std::string text(const ErrorValue& error) {
  std::string all = error.get().value_or("");
  return all.substr(0, all.find('\n'));
}

TEST(Check, StopsTheProgramWithValues) {
  Tensor x = Array::of<float>({1, -2}, {2});
  const std::string words = "check: [check-failed] expected a positive x, but got -2.0 (at [1])";
  expect_words([&] { positive(x); }, ErrorKind::value, words);
  for (Backend backend : {Backend::cpu, Backend::interpret})
    expect_words([&] { jit(positive, {.backend = backend})(x); }, ErrorKind::value, words);
  expect_mention([&] { check(x > 0, "{}"); }, "[bad-format]", "expected one {} for each of 0");
}

TEST(Checkify, GivesTheFirstError) {
  auto f = jit(checkify(positive));
  auto [none, two] = f(Tensor(4.0F));
  EXPECT_FALSE(none.get());
  EXPECT_EQ(two.item<float>(), 2);
  auto [error, y] = f(Tensor(-4.0F));
  EXPECT_EQ(text(error), "[check-failed] expected a positive x, but got -4.0");
  EXPECT_TRUE(std::isnan(y.item<float>()));
  EXPECT_NE(error.get()->find("check_test.cpp:"), std::string::npos);
  expect_words([&] { error.throw_error(); }, ErrorKind::value, text(error));
}

TEST(Checkify, OfInstancesAndLoops) {
  auto f = [](Tensor x) {
    return fori_loop(0, 3, [](Tensor, Tensor s) { return positive(s) - 0.5F; }, x);
  };
  Tensor xs = Array::of<float>({16, 0.25F}, {2});
  EXPECT_EQ(text(checkify(vmap(f))(xs).first),
            "[check-failed] expected a positive x, but got 0.0 (at [1])");
  EXPECT_EQ(text(vmap(checkify(f))(xs).first),
            "[check-failed] expected a positive x, but got 0.0 (at [1])");
}

TEST(Checkify, OfWhatItPutsIn) {
  auto [error, y] = checkify([](Tensor x) { return log(x); }, {"nan", "bounds"})(Tensor(-1.0F));
  EXPECT_NE(text(error).find("[nan-created]"), std::string::npos);
  expect_mention([] { (void)checkify(positive, "nans"); }, "[bad-option]", "'nans'");
}

TEST(Checkify, StandsBesideAGradient) {
  auto loss = [](Tensor x) {
    auto [error, value] = checkify(positive)(x);
    return std::pair(value, error);
  };
  auto [g, error] = grad(loss)(Tensor(4.0F));
  EXPECT_EQ(g.item<float>(), 0.25F);
  EXPECT_FALSE(error.get());
}

} // namespace
} // namespace kolam
