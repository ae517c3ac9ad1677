// Lists that loops carry and branches give, at once and jitted on every backend.
#include "test/frontend/fractal/everywhere.h"

namespace kolam::fractal::test {
namespace {

/// Collatz's words until the end word, 1.
Ints words_from(Tensor word) {
  using State = std::tuple<Ints, Tensor>;
  State last = while_loop([](State state) { return std::get<1>(state) != 1; },
                          [](State state) {
                            auto [words, word] = state;
                            Tensor next = where(word % 2 == 0, floor_divide(word, 2), 3 * word + 1);
                            return State{join(words, fractal::repeat(next, 1)), next};
                          },
                          State{fractal::repeat(word, 1), word});
  return std::get<0>(last);
}

Ints halved(Ints xs) {
  return while_loop([](Ints xs) { return length(xs) > 1; },
                    [](Ints xs) { return slice(xs, {}, floor_divide(length(xs), 2)); }, xs);
}

TEST(ListLoops, DecodeUntilTheEndWord) {
  EXPECT_TRUE(everywhere(words_from, Array::scalar<int64_t>(6)) ==
              ints({6, 3, 10, 5, 16, 8, 4, 2, 1}));
  EXPECT_TRUE(everywhere(words_from, Array::scalar<int64_t>(1)) == ints({1}));
}

TEST(ListLoops, EachRowHasItsOwnTurns) {
  auto batch = [](Ints words) { return map(words_from, words); };
  EXPECT_TRUE(everywhere(batch, ints({4, 1, 8})) == rows({{4, 2, 1}, {1}, {8, 4, 2, 1}}));
  auto halves = [](Rows xs) { return map(halved, xs); };
  EXPECT_TRUE(everywhere(halves, rows({{1, 2, 3, 4, 5}, {}, {6}})) == rows({{1}, {}, {6}}));
}

TEST(ListLoops, CountedLoopsGrowListsOfLists) {
  auto triangle = [](Ints xs) {
    return fori_loop(
               0, length(xs),
               [](Tensor i, std::pair<Rows, Ints> state) {
                 Ints row = join(state.second, fractal::repeat(i, 1));
                 return std::pair{join(state.first, fractal::repeat(row, 1)), row};
               },
               std::pair{fractal::repeat(slice(xs, {0, 0}), 0), slice(xs, {0, 0})})
        .first;
  };
  EXPECT_TRUE(everywhere(triangle, ints({9, 9, 9})) == rows({{0}, {0, 1}, {0, 1, 2}}));
  EXPECT_EQ(everywhere(triangle, slice(ints({9}), {1})).size(), 0);
}

TEST(ListLoops, BranchesGiveListsOfAnyLength) {
  auto either = [](Ints xs) {
    return cond(length(xs) > 2, [&] { return join(xs, xs); }, [&] { return slice(xs, {1}); });
  };
  EXPECT_TRUE(everywhere(either, ints({1, 2, 3})) == ints({1, 2, 3, 1, 2, 3}));
  EXPECT_TRUE(everywhere(either, ints({1, 2})) == ints({2}));
  auto each = [=](Rows xs) { return map(either, xs); };
  EXPECT_TRUE(everywhere(each, rows({{1}, {2, 3, 4}, {}})) == rows({{}, {2, 3, 4, 2, 3, 4}, {}}));
  auto of_operands = [](Ints xs, Ints ys) {
    return cond(
        length(xs) < length(ys), [](Ints x, Ints) { return x; },
        [](Ints, Ints y) { return reverse(y); }, xs, ys);
  };
  EXPECT_TRUE(everywhere(of_operands, ints({1, 2}), ints({3, 4})) == ints({4, 3}));
}

TEST(ListLoops, ListsOfTuples) {
  auto inner = [](Ints xs) {
    Iterator<Tensor, Tensor> ys = zip(xs, reverse(xs));
    FractalTensor<std::tuple<Tensor, Tensor>> last =
        while_loop([](FractalTensor<std::tuple<Tensor, Tensor>> ys) { return length(ys) > 2; },
                   [](FractalTensor<std::tuple<Tensor, Tensor>> ys) { return slice(ys, {1, -1}); },
                   FractalTensor<std::tuple<Tensor, Tensor>>(ys));
    return map([](Tensor x, Tensor y) { return 10 * x + y; }, last);
  };
  EXPECT_TRUE(everywhere(inner, ints({1, 2, 3, 4, 5})) == ints({33}));
  EXPECT_TRUE(everywhere(inner, ints({1, 2, 3, 4})) == ints({23, 32}));
}

TEST(ListLoops, OneProgramServesAllLengths) {
  auto f = jit(halved);
  EXPECT_TRUE(f(ints({1, 2, 3, 4})) == ints({1}));
  EXPECT_TRUE(f(ints({5, 6})) == ints({5}));
}

TEST(ListLoops, OtherTypesAreRefused) {
  auto wider = [](Ints xs) {
    return while_loop(
        [](Ints) { return Tensor(Array::scalar(true)); },
        [](Ints xs) { return map([](Tensor x) { return astype(x, DType::f32); }, xs); }, xs);
  };
  try {
    jit(wider)(ints({1}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "carry-mismatch");
    EXPECT_NE(error.message().find("expected list<int64[]>, but got list<float32[]>"),
              std::string::npos)
        << error.message();
  }
}

TEST(ListSlices, AtBoundsThatOnlyTheRunKnows) {
  auto causal = [](Ints keys) {
    return map(
        [&](Tensor i, Tensor) {
          return fold(kolam::add, slice(keys, {}, i + 1), Tensor(Array::scalar(int64_t{0})));
        },
        enumerate(keys));
  };
  EXPECT_TRUE(everywhere(causal, ints({1, 2, 3})) == ints({1, 3, 6}));
  auto cut = [](Ints xs, Tensor i, Tensor j) { return slice(xs, i, j); };
  Ints xs = ints({1, 2, 3, 4});
  auto at = [](int64_t i) { return Tensor(Array::scalar(i)); };
  EXPECT_TRUE(everywhere(cut, xs, at(1), at(3)) == ints({2, 3}));
  EXPECT_TRUE(everywhere(cut, xs, at(-3), at(-1)) == ints({2, 3}));
  EXPECT_EQ(everywhere(cut, xs, at(3), at(1)).size(), 0);
  EXPECT_TRUE(everywhere(cut, xs, at(-9), at(9)) == xs);
  auto backwards = [](Ints xs, Tensor i) { return slice(xs, i, {}, -2); };
  EXPECT_TRUE(everywhere(backwards, xs, at(3)) == ints({4, 2}));
}

} // namespace
} // namespace kolam::fractal::test
