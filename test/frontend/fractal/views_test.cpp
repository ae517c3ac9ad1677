// The typed face of reading: types of results and parts of tuples; places are access_test's.
#include "test/frontend/fractal/everywhere.h"

namespace kolam::fractal::test {
namespace {

const Tensor kTwo = Array::scalar<int64_t>(2);

TEST(Views, ElementsAndSlices) {
  auto ends = [](Rows xss, Tensor i) {
    return std::tuple(first(xss), last(xss), index(xss, i), slice(xss, {1}),
                      gather(xss, ints({2, 0})), reverse(xss), length(xss));
  };
  auto [head, tail, at, rest, picked, reversed, count] =
      everywhere(ends, rows({{1, 2}, {}, {3}}), kTwo);
  EXPECT_EQ(head, ints({1, 2}));
  EXPECT_EQ(tail, ints({3}));
  EXPECT_EQ(at, ints({3}));
  EXPECT_EQ(rest, rows({{}, {3}}));
  EXPECT_EQ(picked, rows({{3}, {1, 2}}));
  EXPECT_EQ(reversed, rows({{3}, {}, {1, 2}}));
  EXPECT_EQ(count.item<int64_t>(), 3);
}

TEST(Views, Windows) {
  auto windows = [](Ints xs, Tensor i) {
    return std::tuple(slide(xs, 3, {.padding = 1, .value = {-1}}), shifted_slide(xs, 3),
                      window(i, xs, 3), shifted_window(i, xs, 3));
  };
  auto [slid, shifted, one, circular] = everywhere(windows, ints({5, 6, 7}), kTwo);
  EXPECT_EQ(slid, rows({{-1, 5, 6}, {5, 6, 7}, {6, 7, -1}}));
  EXPECT_EQ(shifted, rows({{7, 5, 6}, {5, 6, 7}, {6, 7, 5}}));
  EXPECT_EQ(one, ints({6, 7, 0}));
  EXPECT_EQ(circular, ints({6, 7, 5}));
}

TEST(Views, WindowsOfTuplesHaveAValueForEachPart) {
  auto ends = [](Ints xs, Ints ys) {
    FractalTensor<FractalTensor<std::tuple<Tensor, Tensor>>> both =
        slide(zip(xs, ys), 3, {.padding = 1, .value = {-1, -2}});
    return map([](FractalTensor<std::tuple<Tensor, Tensor>> row) { return first(row); }, both);
  };
  auto [xs, ys] = everywhere(ends, ints({1, 2}), ints({3, 4}));
  EXPECT_EQ(xs, ints({-1, 1}));
  EXPECT_EQ(ys, ints({-2, 3}));
}

TEST(Views, RowsOfOneList) {
  auto cut = [](Ints xs) { return std::tuple(dilate(xs, 2), split(xs, 2)); };
  auto [strided, halves] = everywhere(cut, ints({0, 1, 2, 3, 4}));
  EXPECT_EQ(strided, rows({{0, 2, 4}, {1, 3}}));
  EXPECT_EQ(halves, rows({{0, 1}, {2, 3, 4}}));
}

TEST(Views, SeveralLists) {
  auto combined = [](Ints xs, Ints ys) {
    auto [columns, all_rows] = product(xs, ys);
    return std::tuple(columns, all_rows, join(xs, ys), join({ys, xs, ys}),
                      enumerate(ys).components());
  };
  auto [columns, all_rows, both, three, numbered] =
      everywhere(combined, ints({0, 1, 2}), ints({10, 20}));
  EXPECT_EQ(columns, rows({{0, 1, 2}, {0, 1, 2}}));
  EXPECT_EQ(all_rows, rows({{10, 10, 10}, {20, 20, 20}}));
  EXPECT_EQ(both, ints({0, 1, 2, 10, 20}));
  EXPECT_EQ(three, ints({10, 20, 0, 1, 2, 10, 20}));
  EXPECT_EQ(join(std::vector{both, three}).size(), 12);
  EXPECT_EQ(std::get<0>(numbered), ints({0, 1}));
  EXPECT_EQ(std::get<1>(numbered), ints({10, 20}));
}

TEST(Views, LengthsAreListsOfNumbers) {
  using Deep = FractalTensor<Rows>;
  const Deep deep{rows({{1, 2}, {3}}), rows({{4}}), rows({{}, {}, {}})};
  auto widths = [](Deep xs) {
    return std::tuple(width_by_depth(xs, -1), width_by_depth(xs, 2), width_by_depth(xs, 1),
                      lengths(xs), map([](Rows row) { return lengths(row); }, xs));
  };
  auto [outermost, middle, innermost, of_elements, by_row] = everywhere(widths, deep);
  EXPECT_EQ(outermost, ints({3}));
  EXPECT_EQ(middle, ints({2, 1, 3}));
  EXPECT_EQ(innermost, ints({2, 1, 1, 0, 0, 0}));
  EXPECT_EQ(of_elements, middle);
  EXPECT_EQ(by_row, rows({{2, 1}, {1}, {0, 0, 0}}));
  auto zipped = [](Rows xss, Ints ys) { return width_by_depth(zip(xss, ys), 1); };
  EXPECT_EQ(everywhere(zipped, rows({{1}, {2, 3}}), ints({4, 5})), ints({2}));
}

TEST(Views, TwoListsAreNumberedTogether) {
  auto weighted = [](Ints xs, Rows yss) {
    return map([](Tensor i, Tensor x, Ints ys) { return i + x * length(ys); }, enumerate(xs, yss));
  };
  EXPECT_EQ(everywhere(weighted, ints({10, 20}), rows({{1, 2, 3}, {4}})), ints({30, 21}));
  EXPECT_EQ(enumerate(ints({}), rows({})).size(), 0);
}

TEST(Views, ThreeListsAreNumberedTogether) {
  auto weighted = [](Ints xs, Rows yss, Ints zs) {
    return map([](Tensor i, Tensor x, Ints ys, Tensor z) { return i + x * length(ys) - z; },
               enumerate(xs, yss, zs));
  };
  EXPECT_EQ(everywhere(weighted, ints({10, 20}), rows({{1, 2, 3}, {4}}), ints({1, 2})),
            ints({29, 19}));
}

TEST(Views, AnyNumberOfListsIsZippedAndNumberedTogether) {
  auto weighted = [](Ints xs, Rows yss) {
    auto five = std::tuple(xs, yss, reverse(xs), zip(xs, xs), xs);
    auto numbered = map(
        [](Tensor i, Tensor a, Ints ys, Tensor b, std::tuple<Tensor, Tensor> pair, Tensor c) {
          return i + a * length(ys) - b + std::get<0>(pair) * std::get<1>(pair) + c;
        },
        enumerate(five));
    return std::tuple(numbered, std::get<1>(zip(five).components()),
                      std::get<0>(enumerate(std::tuple(yss)).components()));
  };
  auto [sums, lists, numbers] = everywhere(weighted, ints({10, 20}), rows({{1, 2, 3}, {4}}));
  EXPECT_EQ(sums, ints({120, 431}));
  EXPECT_EQ(lists, rows({{1, 2, 3}, {4}}));
  EXPECT_EQ(numbers, ints({0, 1}));
}

TEST(Views, RepeatTakesTensorsListsAndTuples) {
  auto repeated = [](Ints xs, Tensor x, Tensor n) {
    return std::tuple(fractal::repeat(xs, n), fractal::repeat(x, 3),
                      fractal::repeat(std::tuple(x, xs), n));
  };
  auto [lists, tensors, both] =
      everywhere(repeated, ints({1, 2}), Tensor(Array::scalar<int64_t>(7)), kTwo);
  EXPECT_EQ(lists, rows({{1, 2}, {1, 2}}));
  EXPECT_EQ(tensors, ints({7, 7, 7}));
  EXPECT_EQ(std::get<0>(both), ints({7, 7}));
  EXPECT_EQ(std::get<1>(both), rows({{1, 2}, {1, 2}}));
  FractalTensor<FractalTensor<std::tuple<Tensor, Tensor>>> zips =
      fractal::repeat(zip(ints({1}), ints({2})), 2);
  EXPECT_EQ(zips.size(), 2);
}

TEST(Views, TensorsAndLists) {
  auto there_and_back = [](Tensor x) {
    return std::tuple(fractal::stack(unbind(x, 1), 1), fractal::flatten(slices(x, 0)),
                      unbind(x, 1));
  };
  Tensor x = array<int64_t>({{1, 2, 3}, {4, 5, 6}});
  auto [same, flat, columns] = everywhere(there_and_back, x);
  expect_same(same, x);
  expect_same(flat, x);
  EXPECT_EQ(columns.to_string(), "list<int64[2]>\n[[1 4]\n [2 5]\n [3 6]]");
}

TEST(Views, NumelCountsLeaves) {
  EXPECT_EQ(rows({{1, 2}, {}, {3}}).numel(), 3);
  EXPECT_EQ(ints({}).numel(), 0);
  auto count = [](Rows xs) { return numel(xs); };
  EXPECT_EQ(everywhere(count, rows({{1, 2}, {}, {3}})).item<int64_t>(), 3);
  auto of_each = [](Rows xs) { return map([](Ints row) { return numel(row); }, xs); };
  EXPECT_EQ(everywhere(of_each, rows({{1, 2}, {}, {3}})), ints({2, 0, 1}));
}

} // namespace
} // namespace kolam::fractal::test
