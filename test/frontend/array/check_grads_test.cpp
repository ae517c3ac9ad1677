// check_grads finds wrong derivatives, and none in right ones.
#include "kolam/frontend/array/check_grads.h"
#include "kolam/kolam.h"

#include "test/error/expect_words.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using test::expect_mention;

Tensor x() { return Array::of<double>(std::vector<double>{0.5, -1, 2}, {3}); }

TEST(CheckGrads, PassesWhatIsRight) {
  check_grads([](Tensor x) { return tanh(x); }, std::tuple(x()), {.order = 3});
  check_grads(
      [](std::pair<Tensor, Tensor> p, Tensor i) { return multiply(p.first, take(p.second, i, 0)); },
      std::tuple(std::pair(x(), x()), Tensor(Array::of<int32_t>({2, 2, 0}))));
  check_grads([](Tensor x) { return sin(x); }, std::tuple(astype(x(), DType::f32)), {.order = 2});
}

TEST(CheckGrads, NamesWhatIsWrong) {
  auto forward = custom_jvp([](Tensor x) { return sin(x); });
  forward.defjvp([](std::tuple<Tensor> p, std::tuple<Tensor> t) {
    return std::pair(sin(std::get<0>(p)), std::get<0>(t));
  });
  expect_mention([&] { check_grads(forward, std::tuple(x())); },
                 "[wrong-gradient] fwd, result 0, element", "by finite differences, but got");
  expect_mention([&] { check_grads(forward, std::tuple(x()), {.forward = false}); },
                 "[wrong-gradient] rev", "by finite differences");
  check_grads(forward, std::tuple(x()), {.tolerance = 10});
  check_grads(forward, std::tuple(x()), {.forward = false, .reverse = false});
  // Right once, wrong twice: the rule's own derivative is another function's.
  auto twice = custom_jvp([](Tensor x) { return multiply(x, x); });
  twice.defjvp([](std::tuple<Tensor> p, std::tuple<Tensor> t) {
    Tensor value = multiply(std::get<0>(p), std::get<0>(p));
    return std::pair(value, multiply(std::get<0>(t), multiply(stop_gradient(std::get<0>(p)), 2.0)));
  });
  check_grads(twice, std::tuple(x()));
  expect_mention([&] { check_grads(twice, std::tuple(x()), {.order = 2}); }, "[wrong-gradient]",
                 "expected");
}

TEST(CheckGrads, WantsFloats) {
  expect_mention(
      [] { check_grads([](Tensor x) { return x; }, std::tuple(Tensor(Array::of<int32_t>({1})))); },
      "[not-differentiable]", "floats");
}

} // namespace
} // namespace kolam
