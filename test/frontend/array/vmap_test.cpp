// vmap: equal to a loop over the instances, with axes, pytrees, nesting and errors.
#include "kolam/kolam.h"

#include "test/error/expect_words.h"
#include "test/frontend/array/both_backends.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using runtime::same_bits;
using test::expect_mention;
using test::run_both;
using Tensors = std::vector<Tensor>;

Array numbers(std::vector<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>((i * 37) % 11) * 0.25F - 1);
  return Array::of<float>(values, shape);
}

Tensor product(Tensor x, Tensor w) { return tanh(matmul(x, w)); }

TEST(Vmap, EqualsALoop) {
  Array xs = numbers({3, 2, 4}), w = numbers({4, 5});
  auto rows = vmap(product, {.in_axes = {0, std::nullopt}});
  auto results = run_both({xs, w}, [&](Tensors x) {
    Tensors loop;
    for (int64_t i = 0; i < 3; ++i)
      loop.push_back(product(take(x[0], Array::scalar(i), 0), x[1]));
    return Tensors{rows(x[0], x[1]), stack(loop)};
  });
  EXPECT_TRUE(same_bits(results[0], results[1]));
  EXPECT_TRUE(same_bits(rows(xs, w).array(), results[1])) << "at once";
}

TEST(Vmap, TakesAndGivesPytreesAlongAxes) {
  using Pair = std::pair<Tensor, Tensor>;
  auto f = [](Pair p, Tensor s) { return Pair{p.first + s, sum(p.second)}; };
  auto mapped = vmap(f, {.in_axes = {1, std::nullopt}, .out_axes = {1, 0}});
  Array x = numbers({2, 3});
  Pair result = mapped(Pair{x, x}, Tensor(Array::scalar(1.0F)));
  EXPECT_TRUE(same_bits(result.first.array(), (Tensor(x) + 1).array()));
  EXPECT_EQ(result.second.shape(), (Shape{3}));
}

TEST(Vmap, TakesAxesOfParts) {
  using Pair = std::pair<Tensor, Tensor>;
  using Layers = std::map<std::string, std::vector<Tensor>>;
  auto f = [](Pair p, Layers layers, Tensor s) {
    Tensor first = matmul(p.first, layers["a"][0]);
    return std::tuple(Pair{first, sum(p.second)}, add(multiply(layers["a"][1], s), layers["b"][0]));
  };
  Array x = numbers({2, 3, 4}), w = numbers({4, 5}), b = numbers({3, 6}), c = numbers({6});
  auto mapped =
      vmap(f, {.in_axes = {{1, std::nullopt}, {{std::nullopt, 0}, std::nullopt}, std::nullopt},
               .out_axes = {{-1, std::nullopt}, 0}});
  Layers layers{{"a", {w, b}}, {"b", {c}}};
  auto [pair, sums] = mapped(Pair{x, c}, layers, Tensor(Array::scalar(2.0F)));
  EXPECT_EQ(pair.first.shape(), (Shape{2, 5, 3}));
  EXPECT_EQ(pair.second.shape(), (Shape{}));
  for (int64_t i = 0; i < 3; ++i) {
    Tensor place = Array::scalar(i);
    Layers own{{"a", {w, take(b, place, 0)}}, {"b", {c}}};
    auto [one, two] = f(Pair{take(x, place, 1), c}, own, Tensor(Array::scalar(2.0F)));
    EXPECT_TRUE(same_bits(take(pair.first, place, 2).array(), one.first.array())) << i;
    EXPECT_TRUE(same_bits(pair.second.array(), one.second.array())) << i;
    EXPECT_TRUE(same_bits(take(sums, place, 0).array(), two.array())) << i;
  }
  auto second = [](Pair p) { return p.second; };
  expect_mention([&] { vmap(second, {.in_axes = {{0, 0, 0}}})(Pair{x, x}); },
                 "[batch-axis] argument 0",
                 "expected one axis, or 2, as many as it has parts with tensors, but got 3");
  expect_mention([&] { vmap(second, {.in_axes = {{{0, 0}, 0}}})(Pair{x, x}); },
                 "[batch-axis] argument 0",
                 "expected an axis, or nullopt, for a tensor, but got 2");
}

TEST(Vmap, NestsAndIsJitted) {
  auto distances = vmap(
      [](Tensor a, Tensor bs) {
        return vmap([](Tensor x, Tensor y) { return sum(x * y); },
                    {.in_axes = {std::nullopt, 0}})(a, bs);
      },
      {.in_axes = {0, std::nullopt}});
  Array a = numbers({3, 4}), b = numbers({2, 4});
  Array expected = distances(a, b);
  EXPECT_EQ(expected.shape().size(), 2U);
  EXPECT_TRUE(same_bits(Array(jit(distances)(a, b)), expected));
}

TEST(Vmap, RunsFunctionsOfTheHostOneAfterTheOther) {
  std::vector<float> seen;
  HostFunction note([&](std::span<const Array> inputs) {
    seen.push_back(inputs[0].item<float>());
    return std::vector<Array>{};
  });
  auto f = vmap([&](Tensor x) {
    debug::callback(note, {x});
    return x + 1;
  });
  EXPECT_TRUE(same_bits(f(Array::of<float>({1, 2, 3})).array(), Array::of<float>({2, 3, 4})));
  EXPECT_EQ(seen, (std::vector<float>{1, 2, 3}));
}

TEST(Vmap, RefusesAxesThatAreNotThere) {
  auto add = [](Tensor x, Tensor y) { return x + y; };
  Array x = numbers({3, 2}), y = numbers({2, 2});
  expect_mention([&] { (void)(vmap(add)(x, y)); }, "[batch-axis]",
                 "argument 0 has 3 along its axis 0, argument 1 has 2 along its axis 0");
  expect_mention([&] { (void)(vmap(add, {.in_axes = {2}})(x, x)); }, "[batch-axis]",
                 "expected an axis of float32[3, 2]");
  expect_mention([&] { (void)(vmap(add, {.in_axes = {std::nullopt}})(x, x)); }, "[batch-axis]",
                 "or axis_size");
  expect_mention([&] { (void)(vmap(add, {.in_axes = {0, 0, 0}})(x, x)); }, "[batch-axis]",
                 "expected one axis, or 2");
  expect_mention([&] { (void)(vmap(add, {.out_axes = {std::nullopt}})(x, x)); }, "[batch-axis]",
                 "the same for all instances");
}

} // namespace
} // namespace kolam
