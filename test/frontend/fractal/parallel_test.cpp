// The parallel functions, at once and jitted on both backends, against values by hand.
#include "test/frontend/fractal/everywhere.h"

namespace kolam::fractal::test {
namespace {

struct Cell {
  Tensor h, c;
  friend auto fields(Cell& cell) { return std::tie(cell.h, cell.c); }
};

Tensor sum(const Ints& xs) { return fold(add, xs, Array::scalar<int64_t>(0)); }
Tensor zero() { return Array::scalar<int64_t>(0); }

/// A function with a parameter, which is an element of lists too.
struct Step {
  Tensor weight;
  Tensor operator()(Tensor state, Tensor x) const { return state * weight + x; }
  friend auto fields(Step& step) { return std::tie(step.weight); }
};

TEST(Parallel, Map) {
  auto twice = [](Ints xs) { return map([](Tensor x) { return x + x; }, xs); };
  EXPECT_EQ(everywhere(twice, ints({1, 2, 3})), ints({2, 4, 6}));
  EXPECT_EQ(everywhere(twice, ints({})), ints({}));
  auto sums = [](Rows xss) { return map(sum, xss); };
  EXPECT_EQ(everywhere(sums, rows({{1, 2}, {}, {3}})), ints({3, 0, 3}));
}

TEST(Parallel, MapOfZipTakesATupleOrItsParts) {
  auto whole = [](Ints xs, Ints ys) {
    return map(
        [](std::tuple<Tensor, Tensor> both) { return std::get<1>(both) - std::get<0>(both); },
        zip(xs, ys));
  };
  auto parts = [](Ints xs, Ints ys) {
    return map([](Tensor x, Tensor y) { return y - x; }, zip(xs, ys));
  };
  Ints low = ints({0, 1, 2, 3, 4, 5, 6}), high = ints({7, 8, 9, 10, 11, 12, 13});
  EXPECT_EQ(everywhere(whole, low, high), ints({7, 7, 7, 7, 7, 7, 7}));
  EXPECT_EQ(everywhere(parts, low, high), ints({7, 7, 7, 7, 7, 7, 7}));
}

TEST(Parallel, ATupleOfResultsIsATupleOfLists) {
  auto both = [](Rows xss) {
    return map([](Ints xs) { return std::tuple(sum(xs), reverse(xs)); }, xss);
  };
  auto [sums, reversed] = everywhere(both, rows({{1, 2}, {}, {3}}));
  EXPECT_EQ(sums, ints({3, 0, 3}));
  EXPECT_EQ(reversed, rows({{2, 1}, {}, {3}}));
}

TEST(Parallel, AZipOfResultsIsATupleOfLists) {
  auto zipped = [](Rows xss) { return map([](Ints xs) { return zip(xs, reverse(xs)); }, xss); };
  auto [forward, backward] = everywhere(zipped, rows({{1, 2}, {3}}));
  EXPECT_EQ(forward, rows({{1, 2}, {3}}));
  EXPECT_EQ(backward, rows({{2, 1}, {3}}));
}

TEST(Parallel, StructsStayStructs) {
  auto step = [](FractalTensor<Cell> cells) {
    auto swapped = map([](Cell cell) { return Cell{cell.c, cell.h}; }, cells);
    Cell last = fold([](Cell s, Cell x) { return Cell{s.h + x.h, x.c}; }, swapped);
    return std::tuple(unzip(swapped), last.h, last.c);
  };
  Tensor one = Array::scalar<int64_t>(1), two = Array::scalar<int64_t>(2);
  auto [lists, h, c] = everywhere(step, FractalTensor<Cell>{{one, two}, {two, one}});
  EXPECT_EQ(std::get<0>(lists), ints({2, 1}));
  EXPECT_EQ(std::get<1>(lists), ints({1, 2}));
  EXPECT_EQ(h.item<int64_t>(), 3);
  EXPECT_EQ(c.item<int64_t>(), 2);
}

TEST(Parallel, MapNestsAndCaptures) {
  auto scaled = [](Rows xss, Tensor by) {
    return map(
        [&](Ints xs) {
          Tensor total = sum(xs);
          return map([&](Tensor x) { return x * by + total; }, xs);
        },
        xss);
  };
  EXPECT_EQ(everywhere(scaled, rows({{1, 2}, {}, {3}}), Tensor(Array::scalar<int64_t>(10))),
            rows({{13, 23}, {}, {33}}));
}

TEST(Parallel, Forall) {
  auto negative = [](FractalTensor<Rows> xsss) {
    return forall([](Tensor x) { return -x; }, xsss);
  };
  FractalTensor<Rows> xsss{rows({{1, 2}, {}}), rows({}), rows({{3}})};
  EXPECT_EQ(everywhere(negative, xsss),
            (FractalTensor<Rows>{rows({{-1, -2}, {}}), rows({}), rows({{-3}})}));
}

TEST(Parallel, Filter) {
  auto large = [](Ints xs) { return filter([](Tensor x) { return x > 2; }, xs); };
  EXPECT_EQ(everywhere(large, ints({3, 1, 2, 9})), ints({3, 9}));
  EXPECT_EQ(everywhere(large, ints({1})), ints({}));
  auto full_rows = [](Rows xss) { return filter([](Ints xs) { return length(xs) > 1; }, xss); };
  EXPECT_EQ(everywhere(full_rows, rows({{1, 2}, {}, {3}, {4, 5, 6}})), rows({{1, 2}, {4, 5, 6}}));
  auto ordered = [](Ints xs, Ints ys) {
    auto kept = filter([](Tensor x, Tensor y) { return x < y; }, zip(xs, ys));
    return unzip(kept);
  };
  auto [xs, ys] = everywhere(ordered, ints({1, 5, 3}), ints({2, 4, 9}));
  EXPECT_EQ(xs, ints({1, 3}));
  EXPECT_EQ(ys, ints({2, 9}));
}

TEST(Parallel, FilterallKeepsRows) {
  auto large = [](Rows xss) { return filterall([](Tensor x) { return x > 2; }, xss); };
  EXPECT_EQ(everywhere(large, rows({{1, 2}, {}, {3, 1, 4}})), rows({{}, {}, {3, 4}}));
}

TEST(Parallel, ScanGivesAllStates) {
  auto from = [](Ints xs, Tensor start) { return scan(add, xs, start); };
  auto plain = [](Ints xs) { return scan(add, xs); };
  Tensor ten = Array::scalar<int64_t>(10);
  EXPECT_EQ(everywhere(from, ints({1, 2, 3}), ten), ints({11, 13, 16}));
  EXPECT_EQ(everywhere(from, ints({}), ten), ints({}));
  EXPECT_EQ(everywhere(plain, ints({1, 2, 3, 4})), ints({1, 3, 6, 10}));
  EXPECT_EQ(everywhere(plain, ints({7})), ints({7}));
  auto associative = [](Ints xs) { return scanl(add, xs, zero(), {.associative = true}); };
  EXPECT_EQ(everywhere(associative, ints({1, 2, 3, 4})), ints({1, 3, 6, 10}));
}

TEST(Parallel, ScanrFoldsSuffixes) {
  auto minus = [](Tensor state, Tensor x) { return x - state; };
  auto from = [=](Ints xs) { return scanr(minus, xs, zero()); };
  auto plain = [=](Ints xs) { return scanr(minus, xs); };
  EXPECT_EQ(everywhere(from, ints({1, 2, 3})), ints({2, -1, 3}));
  EXPECT_EQ(everywhere(plain, ints({1, 2, 5})), ints({4, -3, 5}));
}

TEST(Parallel, FoldsOfTupleStates) {
  auto step = [](Ints xs, Tensor start) {
    return fold(
        [](std::tuple<Tensor, Tensor> state, Tensor x) {
          auto [a, b] = state;
          return std::tuple(a + x, b + a);
        },
        xs, std::tuple(start, start));
  };
  auto [a, b] = everywhere(step, ints({1, 2, 3, 4}), Tensor(Array::scalar<int64_t>(5)));
  EXPECT_EQ(a.item<int64_t>(), 15);
  EXPECT_EQ(b.item<int64_t>(), 35);
}

TEST(Parallel, FoldFromEitherEnd) {
  auto minus = [](Tensor state, Tensor x) { return x - state; };
  auto all = [=](Ints xs) {
    return std::tuple(fold(minus, xs, zero()), foldr(minus, xs, zero()), foldl(minus, xs),
                      foldr(minus, xs));
  };
  auto [left, right, left_plain, right_plain] = everywhere(all, ints({1, 7, 5, 2}));
  EXPECT_EQ(left.item<int64_t>(), 3);         // 2 - (5 - (7 - (1 - 0)))
  EXPECT_EQ(right.item<int64_t>(), -3);       // 1 - (7 - (5 - (2 - 0)))
  EXPECT_EQ(left_plain.item<int64_t>(), 3);   // 2 - (5 - (7 - 1))
  EXPECT_EQ(right_plain.item<int64_t>(), -3); // 1 - (7 - (5 - 2))
}

TEST(Parallel, StatesMayBeLists) {
  // Prefix sums by rows: each row is added to the one before, place by place.
  auto grow = [](Rows xss, Ints start) {
    return scan(
        [](Ints state, Ints xs) {
          return map([](Tensor s, Tensor x) { return s + x; }, zip(state, xs));
        },
        xss, start);
  };
  EXPECT_EQ(everywhere(grow, rows({{1, 2}, {3, 4}, {5, 6}}), ints({10, 20})),
            rows({{11, 22}, {14, 26}, {19, 32}}));
}

TEST(Parallel, Reduce) {
  auto largest = [](Ints xs) { return reduce(maximum, xs); };
  auto sums = [](Rows xss) { return map([](Ints xs) { return reduce(add, xs, 0); }, xss); };
  EXPECT_EQ(everywhere(largest, ints({3, 9, 1})).item<int64_t>(), 9);
  EXPECT_EQ(everywhere(sums, rows({{1, 2}, {}, {3}})), ints({3, 0, 3}));
  auto both = [](Ints xs, Ints ys) {
    return reduce(
        [](std::tuple<Tensor, Tensor> a, std::tuple<Tensor, Tensor> b) {
          return std::tuple(maximum(std::get<0>(a), std::get<0>(b)),
                            std::get<1>(a) + std::get<1>(b));
        },
        zip(xs, ys), std::tuple(4, 0));
  };
  auto [most, total] = everywhere(both, ints({1, 3}), ints({10, 20}));
  EXPECT_EQ(most.item<int64_t>(), 4);
  EXPECT_EQ(total.item<int64_t>(), 30);
}

TEST(Parallel, StructsThatAreCalledHoldParameters) {
  auto layers = [](Ints xs, FractalTensor<Step> steps) {
    return fold([](Ints xs, Step step) { return scan(step, xs, zero()); }, steps, xs);
  };
  FractalTensor<Step> steps{{Array::scalar<int64_t>(2)}, {Array::scalar<int64_t>(-1)}};
  EXPECT_EQ(everywhere(layers, ints({1, 2, 3}), steps), ints({1, 3, 8}));
}

TEST(Parallel, ReduceFromAnotherTypeIsAFold) {
  auto join_digits = [](Ints xs, Tensor start) {
    return reduce([](Tensor s, Tensor x) { return s * 10.0 + astype(x, DType::f64); }, xs, start);
  };
  EXPECT_EQ(everywhere(join_digits, ints({1, 2, 3}), Tensor(Array::scalar(0.0))).item<double>(),
            123.0);
  const std::string fold = "a reduce that is a fold, left to right, as its state float64[] is not";
  auto explained = [](auto function, Tensor start) {
    return jit(function).explain(ints({1, 2, 3}), start);
  };
  EXPECT_NE(explained(join_digits, Array::scalar(0.0)).find(fold), std::string::npos);
  auto sum = [](Ints xs, Tensor start) { return reduce(add, xs, start); };
  EXPECT_EQ(explained(sum, zero()).find("a reduce that is a fold"), std::string::npos);
}

TEST(Parallel, MapTakesATupleOfLists) {
  auto sums = [](Ints xs, Ints ys) {
    return map([](Tensor x, Tensor y) { return x + y; }, std::tuple(xs, ys));
  };
  EXPECT_EQ(everywhere(sums, ints({1, 2}), ints({30, 40})), ints({31, 42}));
  auto differences = [](Ints xs) {
    auto both = map([](Tensor x) { return std::pair(x + x, x); }, xs);
    return map([](Tensor x, Tensor y) { return x - y; }, both);
  };
  EXPECT_EQ(everywhere(differences, ints({1, 2})), ints({1, 2}));
}

TEST(Parallel, ScansOfEmptyRowsAreEmpty) {
  auto sums = [](Rows xss) { return map([](Ints xs) { return scan(add, xs); }, xss); };
  EXPECT_EQ(everywhere(sums, rows({{1, 2}, {}, {3}})), rows({{1, 3}, {}, {3}}));
  auto from_the_right = [](Ints xs) { return scanr(add, xs); };
  EXPECT_EQ(everywhere(from_the_right, ints({1, 2})), ints({3, 2}));
  EXPECT_EQ(everywhere(from_the_right, ints({})), ints({}));
}

TEST(Parallel, DilatedMapPutsResultsBack) {
  auto sums = [](Ints xs) { return dilated_map([](Ints row) { return scan(add, row); }, xs, 2); };
  auto by_three = [](Ints xs) {
    return dilated_map([](Ints row) { return std::tuple(scan(add, row), row); }, xs, 3);
  };
  Ints nine = ints({0, 1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(everywhere(sums, nine), ints({0, 1, 2, 4, 6, 9, 12, 16, 20}));
  auto [summed, same] = everywhere(by_three, nine);
  EXPECT_EQ(summed, ints({0, 1, 2, 3, 5, 7, 9, 12, 15}));
  EXPECT_EQ(same, nine);
}

} // namespace
} // namespace kolam::fractal::test
