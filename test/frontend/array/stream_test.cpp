// Streams from C++: the i-th step equals the i-th element of the whole, in memory of the caller's.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace kolam {
namespace {

using layout::Stream;

constexpr int64_t kSteps = 12;

Array random_array(std::vector<int64_t> shape, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  for (float& value : array.mutable_values<float>())
    value = normal(generator);
  return array;
}

bool equal_bits(const Array& x, const Array& y) {
  return x.dtype() == y.dtype() && x.shape() == y.shape() &&
         std::memcmp(x.data(), y.data(), static_cast<size_t>(x.byte_count())) == 0;
}

/// h = 0.9 h + 0.1 x along dim 0.
Tensor ema(Tensor x) {
  auto [last, all] = scan(
      [](Tensor h, Tensor x) {
        h = h * 0.9 + x * 0.1;
        return std::pair(h, h);
      },
      zeros({3}), x);
  return all;
}

TEST(Stream, StepsAreTheElementsOfTheWhole) {
  auto f = jit([](Tensor x, Tensor w) { return tanh(matmul(ema(x), w)); });
  Array x = random_array({kSteps, 3}, 1), w = random_array({3, 5}, 2);
  Array whole = f(x, w);
  Stream s = layout::stream(f, {.axes = {{"0", 0}}}, x, w);
  Stream::State state = s.initial();
  ASSERT_EQ(s.state_names().size(), state.size());
  for (int64_t t = 0; t < kSteps; ++t) {
    EXPECT_TRUE(equal_bits(s({x.slice_outer(t)})[0], whole.slice_outer(t)));
    auto [next, results] = s.step(state, {x.slice_outer(t)});
    EXPECT_TRUE(equal_bits(results[0], whole.slice_outer(t)));
    state = next;
  }
  s.reset();
  EXPECT_TRUE(equal_bits(s.run({x})[0], whole));
  for (size_t number = 0; number < state.size(); ++number)
    EXPECT_TRUE(equal_bits(s.state()[number], state[number]));
  EXPECT_NE(s.explain().find("changed in place"), std::string::npos);
}

TEST(Stream, WritesToTheCallersMemory) {
  auto f = jit([](Tensor x) { return ema(x); });
  Array x = random_array({kSteps, 3}, 3);
  Array whole = f(x);
  Stream s = layout::stream(f, {}, x);
  for (int64_t t = 0; t < kSteps; ++t) {
    std::array<float, 3> y{};
    s.into({std::span(y)}, {x.slice_outer(t).values<float>()});
    EXPECT_EQ(std::memcmp(y.data(), whole.slice_outer(t).data(), sizeof y), 0);
  }
}

template <class F> std::string refusal(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.slug();
  }
  return "";
}

TEST(Stream, TakesLoopsAndBranches) {
  auto f = jit([](Tensor x) {
    Tensor y =
        fori_loop(0, 3, [](Tensor i, Tensor v) { return ema(v) + astype(i, DType::f32); }, x);
    y = fori_loop(0, 100, [](Tensor, Tensor v) { return v * 0.5 + 1.0; }, y);
    return cond(
        sum(zeros({2})) < 1.0, [](Tensor v) { return tanh(v); }, [](Tensor v) { return v; }, y);
  });
  Array x = random_array({kSteps, 3}, 5), whole = f(x);
  Stream s = layout::stream(f, {}, x);
  for (int64_t t = 0; t < kSteps; ++t)
    EXPECT_TRUE(equal_bits(s({x.slice_outer(t)})[0], whole.slice_outer(t)));
}

TEST(Stream, RefusesWhatIsWrong) {
  Array x = random_array({kSteps, 3}, 4);
  auto ahead = jit([](Tensor x) { return flip(x, 0); });
  EXPECT_EQ(refusal([&] { layout::stream(ahead, {}, x); }), "not-streamable");
  auto f = jit([](Tensor x) { return ema(x); });
  EXPECT_EQ(refusal([&] { layout::stream(f, {.axis = 4}, x); }), "stream-axis");
  EXPECT_EQ(refusal([&] { layout::stream(f, {.axes = {{"y", 0}}}, x); }), "stream-axis");
  Stream s = layout::stream(f, {}, x);
  EXPECT_EQ(refusal([&] { s({zeros({4}).array()}); }), "argument-mismatch");
  EXPECT_EQ(refusal([&] { s({}); }), "argument-mismatch");
  EXPECT_EQ(refusal([&] { s.set_state({}); }), "stream-state");
  std::array<float, 3> y{};
  std::array<double, 3> wide{};
  std::array<float, 2> narrow{};
  EXPECT_EQ(refusal([&] { s.into({}, {y}); }), "output-count");
  EXPECT_EQ(refusal([&] { s.into({std::span(wide)}, {y}); }), "dtype-mismatch");
  EXPECT_EQ(refusal([&] { s.into({std::span(narrow)}, {y}); }), "shape-mismatch");
  EXPECT_EQ(refusal([&] { s.into({std::span(y)}, {narrow}); }), "shape-mismatch");
}

} // namespace
} // namespace kolam
