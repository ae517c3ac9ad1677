// Whole Jacobians and Hessians beside formulas: of tensors, several arguments and trees, in chunks.
#include "kolam/frontend/array/jacobians.h"
#include "kolam/kolam.h"

#include "test/error/expect_words.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using runtime::same_bits;
using test::expect_mention;
using Doubles = std::vector<double>;

Tensor numbers(Doubles values, std::vector<int64_t> shape) {
  return Array::of<double>(values, std::move(shape));
}
Doubles elements(const Tensor& x) {
  const Array array = x.array();
  auto values = array.values<double>();
  return {values.begin(), values.end()};
}

TEST(Jacobians, OfAFunctionBothWays) {
  Tensor x = numbers({1, 2, 3}, {3});
  // y[i] = x[i]^2 x[0]
  auto f = [](Tensor x) { return multiply(multiply(x, x), take(x, Array::scalar(int64_t{0}), 0)); };
  const Doubles expected{3, 0, 0, 4, 4, 0, 9, 0, 6};
  EXPECT_EQ(jacfwd(f)(x).shape(), (Shape{3, 3}));
  EXPECT_EQ(elements(jacfwd(f)(x)), expected);
  EXPECT_EQ(elements(jacrev(f)(x)), expected);
  EXPECT_EQ(elements(jacobian(f)(x)), expected);
}

TEST(Jacobians, HessianOfACubic) {
  Tensor x = numbers({1, 2}, {2});
  auto cubic = [](Tensor x) { return sum(multiply(x, multiply(x, x))); };
  EXPECT_EQ(elements(hessian(cubic)(x)), (Doubles{6, 0, 0, 12}));
  EXPECT_EQ(elements(jit(hessian(cubic))(x)), (Doubles{6, 0, 0, 12}));
}

TEST(Jacobians, OfSeveralArguments) {
  auto f = [](Tensor x, Tensor i, Tensor y) { return multiply(take(x, i, 0), y); };
  Tensor x = numbers({1, 2, 3}, {3}), y = numbers({4, 5}, {2});
  Tensor i = Array::of<int32_t>({2, 0});
  auto [of_x, of_y] = jacfwd<0, 2>(f)(x, i, y);
  EXPECT_EQ(elements(of_x), (Doubles{0, 0, 4, 5, 0, 0}));
  EXPECT_EQ(elements(of_y), (Doubles{3, 0, 0, 1}));
  auto [again, same] = jacrev<0, 2>(f)(x, i, y);
  EXPECT_TRUE(same_bits(again.array(), of_x.array()) && same_bits(same.array(), of_y.array()));
  EXPECT_EQ(elements(jacrev<2>(f)(x, i, y)), elements(of_y));
  // H of sum(x[i] y): zero in x, a permutation between x and y.
  auto total = [&](Tensor x, Tensor i, Tensor y) { return sum(f(x, i, y)); };
  auto [of_gx, of_gy] = hessian<0, 2>(total)(x, i, y);
  auto [xx, xy] = of_gx;
  auto [yx, yy] = of_gy;
  EXPECT_EQ(elements(xx), Doubles(9, 0));
  EXPECT_EQ(elements(xy), (Doubles{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(elements(yx), (Doubles{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(elements(yy), Doubles(4, 0));
}

struct Params {
  Tensor w, count, b;
};
auto fields(Params& p) { return std::tie(p.w, p.count, p.b); }

TEST(Jacobians, OfTrees) {
  auto f = [](Params p) {
    return std::map<std::string, Tensor>{{"a", add(p.w, p.b)}, {"b", sum(p.w)}};
  };
  Params p{numbers({1, 2}, {2}), Tensor(Array::scalar(int32_t{3})), numbers({5}, {})};
  for (auto j : {jacfwd(f)(p), jacrev(f)(p)}) {
    EXPECT_EQ(elements(j.at("a").w), (Doubles{1, 0, 0, 1}));
    EXPECT_EQ(elements(j.at("a").b), (Doubles{1, 1}));
    EXPECT_EQ(elements(j.at("b").w), (Doubles{1, 1}));
    EXPECT_EQ(elements(j.at("b").b), (Doubles{0}));
    EXPECT_TRUE(j.at("a").count.is_empty());
  }
  // A struct for a tensor: the result's structure.
  auto g = [](Tensor x) { return Params{multiply(x, x), Tensor(Array::scalar(1.0)), sum(x)}; };
  Params j = jacrev(g)(numbers({1, 2}, {2}));
  EXPECT_EQ(elements(j.w), (Doubles{2, 0, 0, 4}));
  EXPECT_EQ(elements(j.b), (Doubles{1, 1}));
}

TEST(Jacobians, WithSomethingBeside) {
  auto f = [](Tensor x) { return std::pair(multiply(x, x), sum(x)); };
  auto [j, beside] = jacfwd<has_aux>(f)(numbers({1, 2}, {2}));
  EXPECT_EQ(elements(j), (Doubles{2, 0, 0, 4}));
  EXPECT_EQ(elements(beside), (Doubles{3}));
  auto [rows, sums] = jacobian<has_aux>(f)(numbers({1, 2}, {2}));
  EXPECT_EQ(elements(rows), (Doubles{2, 0, 0, 4}));
  EXPECT_EQ(elements(sums), (Doubles{3}));
  auto cubic = [](Tensor x) { return std::pair(sum(multiply(x, multiply(x, x))), argmax(x)); };
  auto [h, place] = hessian<has_aux>(cubic)(numbers({1, 2}, {2}));
  EXPECT_EQ(elements(h), (Doubles{6, 0, 0, 12}));
  EXPECT_EQ(place.array().item<int32_t>(), 1);
}

TEST(Jacobians, SomeColumnsOrRowsAtATime) {
  auto f = [](Tensor x) { return multiply(tanh(x), sum(x)); };
  Tensor x = numbers({1, 2, 3, 4, 5, 6, 7}, {7});
  const Array columns = jacfwd(f)(x).array(), rows = jacrev(f)(x).array();
  for (int64_t chunk : {1, 2, 3, 7, 10}) {
    EXPECT_TRUE(same_bits(jacfwd(f, {.chunk = chunk})(x).array(), columns)) << chunk;
    EXPECT_TRUE(same_bits(jacrev(f, {.chunk = chunk})(x).array(), rows)) << chunk;
  }
  expect_mention([&] { jacfwd(f, {.chunk = 0})(x); }, "jacfwd: [bad-option] option 'chunk'",
                 "expected a number from 1, but got 0");
}

TEST(Jacobians, WantFloats) {
  Tensor x = numbers({1, 2}, {2});
  auto counts = [](Tensor x) { return argmax(x); };
  expect_mention([&] { jacfwd(counts)(x); }, "jacfwd: [not-differentiable] result",
                 "but got int32");
  expect_mention([&] { jacrev(counts)(x); }, "jacrev: [not-differentiable] result",
                 "but got int32");
  expect_mention([&] { jacrev([](Tensor x) { return x; })(Tensor(Array::of<int32_t>({1}))); },
                 "[not-differentiable]", "floats");
}

} // namespace
} // namespace kolam
