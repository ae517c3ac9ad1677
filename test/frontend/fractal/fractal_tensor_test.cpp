// Making lists, printing, comparing and reading them on the host.
#include "test/frontend/fractal/everywhere.h"

namespace kolam::fractal::test {
namespace {

struct Cell {
  Tensor h, c;
  friend auto fields(Cell& cell) { return std::tie(cell.h, cell.c); }
};

Tensor scalar(int64_t value) { return Array::scalar(value); }
Tensor pair_of(float a, float b) { return Array::of<float>({a, b}); }

TEST(FractalTensor, IsMadeOfArrays) {
  FractalTensor<Tensor> xs{pair_of(1, 2), pair_of(3, 4)};
  EXPECT_EQ(xs.to_string(), "list<float32[2]>\n[[1. 2.]\n [3. 4.]]");
  EXPECT_EQ(xs.size(), 2);
  EXPECT_EQ(xs.dtype(), DType::f32);
  EXPECT_EQ(to_string(xs.leaf_shape()), "[2]");
  EXPECT_EQ(xs[-1].to_string(), "[3. 4.]");
}

TEST(FractalTensor, IsMadeOfListsToAnyDepth) {
  FractalTensor<Ints> xss{{scalar(0), scalar(1)}, {scalar(2)}};
  EXPECT_EQ(xss, rows({{0, 1}, {2}}));
  FractalTensor<Rows> xsss{rows({{1, 2}, {}}), rows({}), rows({{3}})};
  EXPECT_EQ(xsss.depth(), 3);
  EXPECT_EQ(xsss.to_string(), "list<list<list<int64[]>>>\n[[[1 2]\n  []]\n\n []\n\n [[3]]]");
  EXPECT_EQ(xsss.width_by_depth(-1), (std::vector<int64_t>{3}));
  EXPECT_EQ(xsss.lengths(), (std::vector<int64_t>{2, 0, 1}));
  EXPECT_EQ(xsss.width_by_depth(1), (std::vector<int64_t>{2, 0, 1}));
  EXPECT_EQ(xsss[0], rows({{1, 2}, {}}));
  EXPECT_EQ(xsss[-1][0], ints({3}));
  EXPECT_EQ(FractalTensor<Rows>(std::vector<Rows>{rows({{4}})}).size(), 1);
}

TEST(FractalTensor, OffsetsAreTakenWithoutCopies) {
  Array values = Array::of<int64_t>({1, 2, 3});
  Rows xs = Rows::from_offsets(values, {Array::of<int64_t>({0, 2, 2, 3})});
  EXPECT_EQ(xs, rows({{1, 2}, {}, {3}}));
  EXPECT_EQ(xs.host().leaves().data(), values.data());
}

TEST(FractalTensor, OffsetsComeBackWideOrNarrow) {
  const Array leaves = Array::of<int64_t>({1, 2, 3});
  for (DType dtype : {DType::i64, DType::i32}) {
    Rows given = Rows::from_offsets(leaves, {Array::of<int32_t>({0, 2, 2, 3})});
    auto [values, offsets] = given.to_offsets(dtype);
    EXPECT_EQ(values.data(), leaves.data());
    ASSERT_EQ(offsets.size(), 1u);
    EXPECT_EQ(offsets[0].dtype(), dtype);
    expect_same(Rows::from_offsets(values, offsets), given);
    auto [later, from_zero] = Rows(slice(given, {2, 3})).to_offsets(dtype);
    expect_same(Rows::from_offsets(later, from_zero), rows({{3}}));
  }
}

TEST(FractalTensor, AnElementIsAView) {
  Rows xs = rows({{1, 2}, {}, {3}});
  const std::byte* leaves = static_cast<const std::byte*>(xs.host().leaves().data());
  EXPECT_EQ(xs[2][0].array().data(), leaves + 16);
  EXPECT_EQ(slice(xs, {1}).host().leaves().data(), leaves + 16);
}

TEST(FractalTensor, EmptyListsHaveAType) {
  Rows none = Rows::empty(DType::i64, {2});
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(none.to_string(), "list<list<int64[2]>>\n[]");
  EXPECT_NE(Ints::empty(DType::i64, {}), Ints::empty(DType::i32, {}));
  EXPECT_TRUE(Rows().is_empty());
}

TEST(FractalTensor, ListsOfTuplesAreTuplesOfLists) {
  FractalTensor<std::tuple<Tensor, Ints>> xs{{scalar(5), ints({1, 2})}, {scalar(6), ints({})}};
  EXPECT_EQ(xs.depth(), 1);
  EXPECT_EQ(xs.to_string(), "[0]: list<int64[]>\n[5 6]\n[1]: list<list<int64[]>>\n[[1 2]\n []]");
  auto [number, row] = xs[0];
  EXPECT_EQ(number.item<int64_t>(), 5);
  EXPECT_EQ(row, ints({1, 2}));
  auto [numbers, all] = unzip(xs);
  EXPECT_EQ(numbers, ints({5, 6}));
  EXPECT_EQ(all, rows({{1, 2}, {}}));
}

TEST(FractalTensor, ListsOfStructsPairsAndArrays) {
  FractalTensor<Cell> cells{{scalar(1), scalar(2)}, {scalar(3), scalar(4)}};
  EXPECT_EQ(cells[1].h.item<int64_t>(), 3);
  EXPECT_EQ(std::get<1>(unzip(cells)), ints({2, 4}));
  FractalTensor<std::pair<Tensor, std::array<Tensor, 2>>> pairs{
      {scalar(1), {scalar(2), scalar(3)}}};
  EXPECT_EQ(pairs.parts().size(), 3u);
  EXPECT_EQ(pairs[0].second[1].item<int64_t>(), 3);
  EXPECT_EQ(unzip(pairs).first, ints({1}));
  FractalTensor<FractalTensor<Cell>> nested{cells, cells};
  EXPECT_EQ(nested.depth(), 2);
  EXPECT_EQ(nested[1][0].c.item<int64_t>(), 2);
  EXPECT_EQ(nested.to_string(), "[:][0]: list<list<int64[]>>\n[[1 3]\n [1 3]]\n"
                                "[:][1]: list<list<int64[]>>\n[[2 4]\n [2 4]]");
}

TEST(FractalTensor, EqualityLooksAtTypesLengthsAndLeaves) {
  EXPECT_EQ(ints({1, 2}), ints({1, 2}));
  EXPECT_NE(ints({1, 2}), ints({1, 3}));
  EXPECT_NE(ints({1, 2}), ints({1}));
  EXPECT_NE(rows({{1}, {}}), rows({{}, {1}}));
  EXPECT_NE(ints({1, 2}), list<int>({1, 2}));
  EXPECT_EQ(list<float>({-0.f}), list<float>({0.f}));
}

TEST(FractalTensor, IsGoneOver) {
  int64_t sum = 0;
  for (const Ints& row : rows({{1, 2}, {}, {4}}))
    for (const Tensor& x : row)
      sum += x.item<int64_t>();
  EXPECT_EQ(sum, 7);
}

TEST(FractalTensor, TracedElementsMakeTracedLists) {
  auto make = [](Tensor x, Tensor y) { return Ints{x + y, x - y, x}; };
  EXPECT_EQ(everywhere(make, scalar(5), scalar(3)), ints({8, 2, 5}));
  auto nest = [](Ints xs, Ints ys) { return Rows{xs, ys, xs}; };
  EXPECT_EQ(everywhere(nest, ints({1}), ints({2, 3})), rows({{1}, {2, 3}, {1}}));
}

TEST(FractalTensor, ZipGivesItsListsBack) {
  auto [xs, ys] = zip(ints({1, 2}), rows({{3}, {}}));
  EXPECT_EQ(xs, ints({1, 2}));
  EXPECT_EQ(ys, rows({{3}, {}}));
  // A zip in a zip is one list of a tuple in a tuple.
  auto nested = zip(zip(ints({1}), ints({2})), ints({3}));
  auto [inner, outer] = nested[0];
  EXPECT_EQ(std::get<1>(inner).item<int64_t>(), 2);
  EXPECT_EQ(outer.item<int64_t>(), 3);
}

} // namespace
} // namespace kolam::fractal::test
