// Users' own derivatives, and what is computed again.
#include "kolam/frontend/array/custom_rules.h"
#include "kolam/kolam.h"

#include "test/error/expect_words.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

Tensor x() { return Array::of<double>(std::vector<double>{0.5, 1}, {2}); }

TEST(CustomRules, AGradientByTwoRules) {
  auto f = custom_vjp([](Tensor x, Tensor y) { return multiply(x, y); });
  f.defvjp([](Tensor x, Tensor y) { return std::pair(multiply(x, y), std::tuple(x, y)); },
           [](std::tuple<Tensor, Tensor> kept, Tensor v) {
             return std::tuple(multiply(v, 3.0), multiply(v, std::get<0>(kept)));
           });
  auto g = grad<0, 1>([&](Tensor x, Tensor y) { return sum(f(x, y)); })(x(), x());
  EXPECT_EQ(std::get<0>(g).array().values<double>()[0], 3);
  EXPECT_EQ(std::get<1>(g).array().values<double>()[0], 0.5);
  auto [value, tangent] = jvp([&](Tensor x) { return f(x, x); }, std::tuple(x()), std::tuple(x()));
  EXPECT_EQ(value.array().values<double>()[1], 1);
  EXPECT_EQ(tangent.array().values<double>()[1], 3 + 1);
}

TEST(CustomRules, ADerivativeByOneRule) {
  auto f = custom_jvp([](Tensor x) { return sin(x); });
  f.defjvp([](std::tuple<Tensor> p, std::tuple<Tensor> t) {
    return std::pair(sin(std::get<0>(p)), multiply(std::get<0>(t), 10.0));
  });
  EXPECT_EQ(grad([&](Tensor x) { return sum(f(x)); })(x()).array().values<double>()[1], 10);
}

TEST(CustomRules, ARuleForEachArgument) {
  auto f = custom_jvp([](Tensor x, Tensor i, Tensor y) { return multiply(take(x, i, 0), y); });
  f.defjvps([](Tensor t, Tensor, Tensor, Tensor i,
               Tensor y) { return multiply(take(t, i, 0), multiply(y, 10.0)); },
            nullptr,
            [](Tensor t, Tensor value, Tensor, Tensor, Tensor) { return multiply(t, value); });
  Tensor i = Array::of<int32_t>({1, 1});
  auto [of_x, of_y] =
      grad<0, 2>([&](Tensor x, Tensor i, Tensor y) { return sum(f(x, i, y)); })(x(), i, x());
  EXPECT_EQ(of_x.array().values<double>()[1], 10 * (0.5 + 1));
  EXPECT_EQ(of_y.array().values<double>()[0], 0.5);
  auto [value, tangent] =
      jvp([&](Tensor x) { return f(x, i, x); }, std::tuple(x()), std::tuple(x()));
  EXPECT_EQ(tangent.array().values<double>()[1], 10 * 1 + 1);
  auto none = custom_jvp([](Tensor x) { return sin(x); });
  none.defjvps(nullptr);
  EXPECT_EQ(grad([&](Tensor x) { return sum(none(x)); })(x()).array().values<double>()[1], 0);
}

/// Each derivative is three times what it is taken of.
TEST(CustomRules, HoldOfTheFunctionInItsOwnRule) {
  auto f = custom_jvp([](Tensor x) { return multiply(x, x); });
  f.defjvps([](Tensor t, Tensor value, Tensor) { return multiply(t, multiply(value, 3.0)); });
  Array second = grad(grad(f))(Tensor(1.5)).array();
  EXPECT_EQ(second.item<double>(), 9 * 1.5 * 1.5);
}

TEST(CustomRules, WhatIsComputedAgainHasTheSameBits) {
  auto f = [](Tensor x) { return tanh(exp(x)); };
  Array once = grad([&](Tensor x) { return sum(f(x)); })(x()).array();
  Array again = grad([&](Tensor x) { return sum(checkpoint(f)(x)); })(x()).array();
  EXPECT_TRUE(runtime::same_bits(once, again));
}

TEST(CustomRules, ErrorsNameTheLineOfTheCall) {
  auto f = custom_vjp([](Tensor x) { return sin(x); });
  auto g = custom_jvp([](Tensor x) { return sin(x); });
  auto again = checkpoint([](Tensor x) { return sin(x); });
  auto expect_line = [](const std::function<void()>& call, int line, const std::string& slug) {
    try {
      call();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.slug(), slug);
      EXPECT_NE(error.where().file.find("custom_rules_test"), std::string::npos) << error.what();
      EXPECT_EQ(error.where().line, line) << error.what();
    }
  };
  expect_line([&] { f(x()); }, __LINE__, "custom-rule");
  expect_line([&] { g(x()); }, __LINE__, "custom-rule");
  expect_line([&] { again(Tensor()); }, __LINE__, "empty-tensor");
  f.defvjp([](Tensor x) { return std::pair(sin(x), x); },
           [](Tensor kept, Tensor v) { return std::tuple(sum(v)); });
  expect_line([&] { grad([&](Tensor x) { return sum(f(x)); })(x()); }, __LINE__, "custom-rule");
  auto [y, pullback] = vjp([](Tensor x) { return sin(x); }, x());
  expect_line([&] { pullback(Tensor(1.0)); }, __LINE__, "tangent-mismatch");
  auto [z, push] = linearize([](Tensor x) { return sin(x); }, x());
  expect_line([&] { push(Tensor(1.0)); }, __LINE__, "tangent-mismatch");
  EXPECT_EQ(vmap(again)(x()).shape(),
            (Shape{2})); // calls know their lines, and are functions still
}

TEST(CustomRules, DerivativesToWhatTheyCapture) {
  auto product = [](Tensor x, Tensor scale) {
    auto f = custom_vjp([=](Tensor x) { return multiply(x, scale); });
    f.defvjp([=](Tensor x) { return std::pair(multiply(x, scale), x); },
             [=](Tensor kept, Tensor v) { return std::tuple(multiply(v, scale)); });
    return sum(f(x));
  };
  auto sine = [](Tensor x, Tensor scale) {
    auto f = custom_jvp([=](Tensor x) { return multiply(sin(x), scale); });
    f.defjvp([=](std::tuple<Tensor> p, std::tuple<Tensor> t) {
      return std::pair(multiply(sin(std::get<0>(p)), scale), multiply(std::get<0>(t), scale));
    });
    return sum(f(x));
  };
  const char* words = "expected derivatives to arguments alone, but got a captured float64[2]";
  test::expect_mention([&] { grad<0, 1>(product)(x(), x()); }, "[closed-over]", words);
  test::expect_mention([&] { grad<0, 1>(sine)(x(), x()); }, "[closed-over]", words);
  EXPECT_EQ(grad<0>(product)(x(), x()).array().values<double>()[1], 1);
  EXPECT_EQ(grad<0>(sine)(x(), x()).array().values<double>()[0], 0.5);
}

TEST(CustomRules, TangentsThatAreEmptyAreZero) {
  using Tensors = std::vector<Tensor>;
  auto f = custom_jvp([](Tensor x) { return Tensors{x, add(x, x)}; });
  f.defjvp([](std::tuple<Tensor> p, std::tuple<Tensor> t) {
    Tensor x = std::get<0>(p);
    return std::pair(Tensors{x, add(x, x)}, Tensors{Tensor(), multiply(std::get<0>(t), 7.0)});
  });
  auto [values, tangents] = jvp(f, std::tuple(x()), std::tuple(x()));
  EXPECT_EQ(tangents[0].array().values<double>()[1], 0);
  EXPECT_EQ(tangents[1].array().values<double>()[1], 7);
}

TEST(CustomRules, RulesThatGiveOtherTrees) {
  using Tensors = std::vector<Tensor>;
  auto f = custom_vjp([](Tensors x) { return x[0]; });
  f.defvjp([](Tensors x) { return std::pair(x[0], x[0]); },
           [](Tensor kept, Tensor v) { return std::tuple(Tensors{v}); });
  auto loss = [&](Tensors x) { return sum(f(x)); };
  test::expect_mention([&] { grad(loss)({x(), x()}); }, "[custom-rule]",
                       "bwd: expected 2 tensors, but got 1");
  using Map = std::map<std::string, Tensor>;
  auto g = custom_vjp([](Tensor x) { return Map{{"a", x}}; });
  g.defvjp([](Tensor x) { return std::pair(Map{{"b", x}}, x); },
           [](Tensor kept, Map v) { return std::tuple(v.at("a")); });
  test::expect_mention([&] { grad([&](Tensor x) { return sum(g(x).at("a")); })(x()); },
                       "[custom-rule]", "fwd: expected the structure of result[\"a\"], but got");
}

TEST(CustomRules, RulesThatDoNotFit) {
  auto f = custom_vjp([](Tensor x) { return sin(x); });
  test::expect_mention([&] { grad([&](Tensor x) { return sum(f(x)); })(x()); }, "[custom-rule]",
                       "defvjp");
  f.defvjp([](Tensor x) { return std::pair(sin(x), x); },
           [](Tensor kept, Tensor v) { return std::tuple(sum(v)); });
  test::expect_mention([&] { grad([&](Tensor x) { return sum(f(x)); })(x()); }, "[custom-rule]",
                       "float64[2]");
}

} // namespace
} // namespace kolam
