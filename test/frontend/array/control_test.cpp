// Loops, branches and scans: known values on both backends, and the words of their errors.
#include "kolam/kolam.h"

#include "test/frontend/array/both_backends.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using runtime::same_bits;
using test::error_of;
using test::run_both;
using Tensors = std::vector<Tensor>;

const Array kRamp = Array::of<float>({0, 1, 2, 3});

TEST(ForiLoop, RepeatsItsBody) {
  auto results = run_both({kRamp}, [](Tensors x) {
    return Tensors{fori_loop(2, 6, [](Tensor, Tensor s) { return s * 2 + 1; }, x[0])};
  });
  EXPECT_TRUE(same_bits(results[0], Array::of<float>({15, 31, 47, 63})));
}

TEST(ForiLoop, GivesInitForZeroTurns) {
  for (int upper : {3, -1})
    EXPECT_TRUE(same_bits(run_both({kRamp},
                                   [&](Tensors x) {
                                     return Tensors{fori_loop(
                                         3, upper, [](Tensor, Tensor s) { return s + 1; }, x[0])};
                                   })[0],
                          kRamp));
}

TEST(ForiLoop, TakesBoundsFromTensors) {
  for (int64_t n : {0, 1, 7}) {
    auto results = run_both({Array::scalar(n)}, [](Tensors x) {
      return Tensors{
          fori_loop(0, x[0], [](Tensor i, Tensor s) { return s + i; }, Array::scalar(int64_t{0}))};
    });
    EXPECT_EQ(results[0].item<int64_t>(), n * (n - 1) / 2);
  }
}

TEST(ForiLoop, RunsAtOnceOnArrays) {
  Tensor sum = fori_loop(0, 5, [](Tensor i, Tensor s) { return s + i; }, Array::scalar(10));
  EXPECT_EQ(sum.item<int32_t>(), 20);
}

TEST(ForiLoop, CapturesArraysOfEachCallAtOnce) {
  // Equal programs with different captured memory share code, not data.
  for (float value : {1.0f, 2.0f}) {
    Array large = Array::of(std::vector<float>(30000, value));
    Tensor sum = fori_loop(
        0, 3, [&](Tensor, Tensor s) { return s + large; }, Array::of(std::vector<float>(30000)));
    EXPECT_EQ(sum.array().values<float>()[29999], 3 * value);
  }
}

TEST(ForiLoop, SwapsDuplicatesKeepsAndReplacesState) {
  auto results = run_both({kRamp, kRamp}, [](Tensors x) {
    using Three = std::tuple<Tensor, Tensor, Tensor>;
    Tensor outside = x[1] * 10;
    auto [a, b, c] = fori_loop(
        0, 3,
        [&](Tensor, Three s) {
          auto [a, b, c] = s;
          return Three{b, a, c};
        },
        Three{x[0], outside, x[0]});
    auto [d, e, f] = fori_loop(
        0, 3,
        [&](Tensor, Three s) {
          Tensor next = std::get<0>(s) + 1;
          return Three{next, next, outside};
        },
        Three{a, b, c});
    return Tensors{a, b, c, d, e, f, f, x[0]};
  });
  Array tens = Array::of<float>({0, 10, 20, 30});
  std::vector<Array> expected = {
      tens, kRamp, kRamp, Array::of<float>({3, 13, 23, 33}), Array::of<float>({3, 13, 23, 33}),
      tens, tens,  kRamp};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(same_bits(results[i], expected[i])) << i << " " << results[i].to_string();
}

TEST(ForiLoop, YieldsConstants) {
  auto results = run_both({kRamp}, [](Tensors x) {
    return Tensors{fori_loop(
        0, 2, [](Tensor, Tensor) { return Tensor(Array::of<float>({4, 5, 6, 7})); }, x[0])};
  });
  EXPECT_TRUE(same_bits(results[0], Array::of<float>({4, 5, 6, 7})));
}

TEST(ForiLoop, Nests) {
  auto results = run_both({Array::scalar(0)}, [](Tensors x) {
    return Tensors{fori_loop(
        0, 4,
        [](Tensor i, Tensor s) {
          return fori_loop(0, i, [&](Tensor j, Tensor t) { return t * 2 + i - j; }, s);
        },
        x[0])};
  });
  int expected = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      expected = expected * 2 + i - j;
  EXPECT_EQ(results[0].item<int32_t>(), expected);
}

TEST(WhileLoop, RunsWhileItsConditionHolds) {
  for (int start : {1, 50, 1000}) {
    auto results = run_both({Array::scalar(start), Array::scalar(100)}, [](Tensors x) {
      return Tensors{
          while_loop([&](Tensor s) { return s < x[1]; }, [](Tensor s) { return s * 3; }, x[0])};
    });
    int expected = start;
    while (expected < 100)
      expected *= 3;
    EXPECT_EQ(results[0].item<int32_t>(), expected);
  }
}

TEST(WhileLoop, TakesAStateAsCondition) {
  auto results = run_both({Array::scalar(true), Array::scalar(0)}, [](Tensors x) {
    using Two = std::pair<Tensor, Tensor>;
    auto [going, n] = while_loop([](Two s) { return s.first; },
                                 [](Two s) {
                                   Tensor next = s.second + 1;
                                   return Two{next < 5, next};
                                 },
                                 Two{x[0], x[1]});
    return Tensors{going, n};
  });
  EXPECT_FALSE(results[0].item<bool>());
  EXPECT_EQ(results[1].item<int32_t>(), 5);
}

TEST(Cond, PicksABranch) {
  for (bool pred : {false, true}) {
    auto results = run_both({Array::scalar(pred), kRamp}, [](Tensors x) {
      return Tensors{
          cond(x[0], [](Tensor v) { return v + 1; }, [](Tensor v) { return v * 0.5; }, x[1])};
    });
    EXPECT_TRUE(same_bits(results[0], pred ? Array::of<float>({1, 2, 3, 4})
                                           : Array::of<float>({0, 0.5, 1, 1.5})));
  }
}

TEST(Switch, ClipsItsIndex) {
  using Branch = std::function<Tensor(Tensor)>;
  std::vector<Branch> branches = {[](Tensor v) { return v; }, [](Tensor v) { return v + 1; },
                                  [](Tensor v) { return v + 2; }};
  auto pick = [&](Array index) {
    return run_both({std::move(index), kRamp},
                    [&](Tensors x) { return Tensors{switch_(x[0], branches, x[1])}; })[0]
        .values<float>()[0];
  };
  EXPECT_EQ(pick(Array::scalar(-5)), 0);
  EXPECT_EQ(pick(Array::scalar(1)), 1);
  EXPECT_EQ(pick(Array::scalar(9)), 2);
  EXPECT_EQ(pick(Array::scalar(~uint64_t{0})), 2);
}

TEST(Cond, RunsInsideALoop) {
  auto results = run_both({kRamp}, [](Tensors x) {
    return Tensors{fori_loop(
        0, 5,
        [](Tensor i, Tensor s) {
          return cond(i < 3, [](Tensor v) { return v + 1; }, [&](Tensor v) { return v * 2; }, s);
        },
        x[0])};
  });
  EXPECT_TRUE(same_bits(results[0], Array::of<float>({12, 16, 20, 24})));
}

TEST(Scan, CarriesAndStacks) {
  for (bool reverse : {false, true}) {
    auto results = run_both({Array::of<int32_t>({1, 2, 3, 4}, {2, 2})}, [&](Tensors x) {
      auto [sum, sums] = scan([](Tensor s, Tensor v) { return std::pair{s + v, s * 10 + v}; },
                              Array::of<int32_t>({0, 0}), x[0], {.reverse = reverse});
      return Tensors{sum, sums};
    });
    EXPECT_TRUE(same_bits(results[0], Array::of<int32_t>({4, 6})));
    EXPECT_TRUE(same_bits(results[1], reverse ? Array::of<int32_t>({31, 42, 3, 4}, {2, 2})
                                              : Array::of<int32_t>({1, 2, 13, 24}, {2, 2})));
  }
}

TEST(Scan, TakesALengthWithoutXs) {
  auto results = run_both({Array::scalar(1)}, [](Tensors x) {
    auto [last, powers] = scan([](Tensor s, std::tuple<>) { return std::pair{s * 2, s}; }, x[0],
                               std::tuple<>{}, {.length = 5});
    return Tensors{last, powers};
  });
  EXPECT_EQ(results[0].item<int32_t>(), 32);
  EXPECT_TRUE(same_bits(results[1], Array::of<int32_t>({1, 2, 4, 8, 16})));
}

TEST(Scan, NestsWithSymbolicExtents) {
  Extent n = Extent::symbol("n"), m = Extent::symbol("m");
  Program program = trace(std::vector<TensorSpec>{{DType::i32, {n, m}}}, [](Tensors x) {
    auto [total, table] = scan(
        [](Tensor outer, Tensor row) {
          auto [last, sums] =
              scan([](Tensor s, Tensor v) { return std::pair{s + v, s + v}; }, outer, row);
          return std::pair{last, sums};
        },
        Array::scalar(0), x[0]);
    return Tensors{total, table};
  });
  for (auto shape : {std::vector<int64_t>{2, 3}, {1, 1}, {0, 3}, {3, 0}}) {
    std::vector<int32_t> cells(static_cast<size_t>(shape[0] * shape[1]), 2), sums;
    int32_t sum = 0;
    for (int32_t cell : cells)
      sums.push_back(sum += cell);
    std::vector<Array> arguments = {Array::of(cells, shape)};
    auto native = program.run(arguments), meant = program.run(arguments, Backend::interpret);
    EXPECT_EQ(native[0].item<int32_t>(), sum);
    EXPECT_TRUE(same_bits(native[1], Array::of(sums, shape)));
    EXPECT_TRUE(same_bits(meant[1], Array::of(sums, shape)));
  }
}

} // namespace
} // namespace kolam
