// Lists whose length is part of their type: known to programs, else lists like any other.
#include "test/frontend/fractal/everywhere.h"

namespace kolam::fractal::test {
namespace {

using Three = StaticList<Tensor, 3>;

Tensor digits(Three xs) {
  Tensor total = Array::scalar<int64_t>(0);
  for (Tensor x : xs)
    total = total * 10 + x;
  return total;
}

TEST(StaticList, TheProgramKnowsTheLength) {
  static_assert(Three::size() == 3 && Three::depth() == 1);
  EXPECT_EQ(everywhere(digits, Three(ints({1, 2, 3}))).item<int64_t>(), 123);
  auto jitted = jit(digits);
  EXPECT_EQ(jitted(ints({4, 5, 6})).item<int64_t>(), 456);
  const std::string text = jitted.lower(ints({1, 2, 3})).as_text();
  EXPECT_NE(text.find("tensor<3xi64>"), std::string::npos) << text;
  auto stacked = jit([](Three xs) {
    Tensor all = stack(xs);
    EXPECT_EQ(all.shape(), Shape{3});
    return all;
  });
  expect_same(stacked(ints({1, 2, 3})), Tensor(Array::of<int64_t>({1, 2, 3})));
}

TEST(StaticList, ElementsOfLists) {
  using Triples = FractalTensor<Three>;
  auto numbers = [](Triples xs) { return map(digits, xs); };
  Triples triples{Three(ints({1, 2, 3})), Three(ints({4, 5, 6}))};
  EXPECT_EQ(triples.depth(), 2);
  EXPECT_EQ(everywhere(numbers, triples), ints({123, 456}));
  EXPECT_EQ(triples[1], ints({4, 5, 6}));
  auto reversed = [](Triples xs) { return map([](Three x) { return reverse(x); }, xs); };
  EXPECT_EQ(everywhere(reversed, triples), rows({{3, 2, 1}, {6, 5, 4}}));
  auto negated = [](Triples xs) { return forall([](Tensor x) { return -x; }, xs); };
  EXPECT_EQ(everywhere(negated, triples), rows({{-1, -2, -3}, {-4, -5, -6}}));
  auto states = [](Triples xs) {
    return fold([](Tensor s, Three x) { return s + x[0]; }, xs, Tensor(Array::scalar<int64_t>(0)));
  };
  EXPECT_EQ(everywhere(states, triples).item<int64_t>(), 5);
}

TEST(StaticList, ElementsOfAnotherLengthAreRefused) {
  using Triples = FractalTensor<Three>;
  auto triples =
      Triples::from_offsets(Array::of<int64_t>({1, 2, 3}), {Array::of<int64_t>({0, 2, 3})});
  auto numbers = [](Triples xs) { return map(digits, xs); };
  for (Backend backend : {Backend::interpret, Backend::cpu})
    try {
      jit(numbers, {.backend = backend})(triples);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.slug(), "list-lengths");
    }
  EXPECT_THROW(triples[0], Error);
}

TEST(StaticList, LengthsFurtherInAreData) {
  int traces = 0;
  auto last_rows = jit([&](StaticList<Ints, 2> rows) {
    ++traces;
    return std::tuple(reverse(rows[-1]), rows[0]);
  });
  expect_same(last_rows(rows({{1}, {2, 3}})), std::tuple(ints({3, 2}), ints({1})));
  expect_same(last_rows(rows({{}, {4, 5, 6}})), std::tuple(ints({6, 5, 4}), ints({})));
  EXPECT_EQ(traces, 1);
  const std::string text = last_rows.lower(rows({{}, {}})).as_text();
  EXPECT_NE(text.find("tensor<3xi64>"), std::string::npos) << text;
}

TEST(StaticList, IsAListLikeAnyOther) {
  auto twice = [](Three xs, Ints ys) {
    auto sums = map([](Tensor x, Tensor y) { return x + y; }, zip(xs, ys));
    Ints same = map([](Tensor i) { return i; }, xs);
    return std::tuple(sums, repeat(xs, 2), fold([](Ints s, Tensor x) { return s; }, ys, xs), same);
  };
  auto [sums, copies, states, same] = everywhere(twice, Three(ints({1, 2, 3})), ints({4, 5, 6}));
  EXPECT_EQ(sums, ints({5, 7, 9}));
  EXPECT_EQ(copies, rows({{1, 2, 3}, {1, 2, 3}}));
  EXPECT_EQ(states, ints({1, 2, 3}));
  EXPECT_EQ(same, states);
}

struct Layer {
  Three weights;
  Tensor bias;
  friend auto fields(Layer& layer) { return std::tie(layer.weights, layer.bias); }
};

TEST(StaticList, StandsInStructsAndResults) {
  auto grown = jit([](Layer layer) {
    return Layer{map([&](Tensor w) { return w + layer.bias; }, layer.weights), layer.weights[1]};
  });
  Layer result = grown(Layer{ints({1, 2, 3}), Array::scalar<int64_t>(10)});
  EXPECT_EQ(result.weights, ints({11, 12, 13}));
  EXPECT_EQ(result.bias.item<int64_t>(), 2);
  Three made{Array::scalar<int64_t>(1), Array::scalar<int64_t>(2), Array::scalar<int64_t>(3)};
  EXPECT_EQ(made, ints({1, 2, 3}));
}

TEST(StaticList, OfTuplesAndInsideAnotherJit) {
  using Pairs = StaticList<std::tuple<Tensor, Tensor>, 2>;
  auto inner = jit([](Pairs pairs) { return std::get<0>(pairs[0]) * std::get<1>(pairs[1]); });
  auto outer = [&](Ints xs, Ints ys) { return inner(zip(xs, ys)); };
  EXPECT_EQ(everywhere(outer, ints({2, 3}), ints({4, 5})).item<int64_t>(), 10);
}

} // namespace
} // namespace kolam::fractal::test
