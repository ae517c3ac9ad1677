// index, dynamic_slice, dynamic_update_slice: items, symbolic extents, starts of every integer
// dtype, checks.
#include "test/frontend/array/both_backends.h"
#include "test/frontend/array/grid.h"

#include <limits>

namespace kolam {
namespace {

using test::counted;
using test::run_both;
using test::run_error;

const Extent n = Extent::symbol("n");
const std::vector<TensorSpec> kVector{{DType::i32, {n}}};

std::string indexed_shape(const Shape& shape, const std::vector<Index>& items) {
  std::vector<TensorSpec> specs{{DType::i32, shape}};
  return to_string(
      trace(specs, [&](std::vector<Tensor> v) { return std::vector{index(v[0], items)}; })
          .results()[0]
          .shape);
}

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

TEST(Index, ItemsShapeTheResult) {
  EXPECT_EQ(indexed_shape({4, n, 5}, {1, ellipsis, newaxis}), "[n, 5, 1]");
  EXPECT_EQ(indexed_shape({4, n, 5}, {newaxis, Slice{1, 3}, ellipsis, -1}), "[1, 2, n]");
  EXPECT_EQ(indexed_shape({4, n, 5}, {}), "[4, n, 5]");
}

TEST(Index, SlicesOfSymbolsHaveSimpleExtents) {
  EXPECT_EQ(indexed_shape({n}, {Slice{{}, {}, 2}}), "[ceildiv(n, 2)]");
  EXPECT_EQ(indexed_shape({n}, {Slice{{}, {}, -1}}), "[n]");
  EXPECT_EQ(indexed_shape({n}, {Slice{1}}), indexed_shape({n}, {Slice{{}, -1}}));
  EXPECT_EQ(indexed_shape({n}, {Slice{{}, 3}}), "[min(3, n)]");
  EXPECT_EQ(indexed_shape({n}, {Slice{-3}}), "[min(3, n)]");
}

TEST(Index, NeighboursOfASymbolicDimSubtract) {
  auto differences = [](std::vector<Tensor> v) {
    return std::vector{index(v[0], {Slice{1}}) - index(v[0], {Slice{{}, -1}})};
  };
  expect_same(run_both(kVector, {Array::of<int32_t>({1, 4, 9})}, differences)[0],
              Array::of<int32_t>({3, 5}));
  EXPECT_EQ(run_both(kVector, {Array::of<int32_t>({})}, differences)[0].size(), 0);
}

TEST(Index, IntegersIntoSymbolsAreCheckedByTheRun) {
  auto third = [](std::vector<Tensor> v) { return std::vector{index(v[0], {2})}; };
  auto third_last = [](std::vector<Tensor> v) { return std::vector{index(v[0], {-3})}; };
  expect_same(run_both(kVector, {Array::of<int32_t>({5, 6, 7})}, third)[0], Array::scalar(7));
  expect_same(run_both(kVector, {Array::of<int32_t>({5, 6, 7})}, third_last)[0], Array::scalar(5));
  EXPECT_EQ(run_error(kVector, {Array::of<int32_t>({5, 6})}, third).slug(), "index-out-of-range");
  EXPECT_EQ(run_error(kVector, {Array::of<int32_t>({5})}, third_last).slug(), "index-out-of-range");
}

TEST(Index, BoundsOfAnySizeClip) {
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t highest = std::numeric_limits<int64_t>::max();
  auto take = [](Slice slice) {
    auto f = [slice](std::vector<Tensor> v) { return std::vector{index(v[0], {slice})}; };
    return run_both(kVector, {Array::of<int32_t>({1, 2, 3})}, f)[0];
  };
  expect_same(take({lowest, highest}), Array::of<int32_t>({1, 2, 3}));
  expect_same(take({highest, lowest, -1}), Array::of<int32_t>({3, 2, 1}));
  expect_same(take({{}, {}, lowest}), Array::of<int32_t>({3}));
  expect_same(take({{}, {}, highest}), Array::of<int32_t>({1}));
}

TEST(Index, SymbolicBoundsCountFromTheFront) {
  auto last_two = [](std::vector<Tensor> v) {
    return std::vector{index(v[0], {Slice{n - Extent(2)}})};
  };
  expect_same(run_both(kVector, {Array::of<int32_t>({1, 2, 3})}, last_two)[0],
              Array::of<int32_t>({2, 3}));
  expect_same(run_both(kVector, {Array::of<int32_t>({1})}, last_two)[0], Array::of<int32_t>({1}));
}

TEST(Index, ScalarTensorsCountFromTheEndOnceThenClip) {
  auto pick = [](std::vector<Tensor> v) { return std::vector{index(v[0], {v[1]})}; };
  std::vector<TensorSpec> specs{{DType::i32, {n}}, {DType::i64, {}}};
  Array x = Array::of<int32_t>({5, 6, 7});
  const std::pair<int64_t, int32_t> cases[] = {{0, 5}, {2, 7}, {-1, 7}, {-3, 5}, {-9, 5}, {9, 7}};
  for (auto [place, expected] : cases)
    expect_same(run_both(specs, {x, Array::scalar(place)}, pick)[0], Array::scalar(expected));
  EXPECT_EQ(run_error(specs, {Array::of<int32_t>({}), Array::scalar(int64_t{0})}, pick).slug(),
            "index-out-of-range");
}

template <class T> void expect_start(T start, std::vector<int32_t> expected) {
  auto window = [](std::vector<Tensor> v) { return std::vector{dynamic_slice(v[0], {v[1]}, {2})}; };
  expect_same(run_both({Array::of<int32_t>({1, 2, 3, 4}), Array::scalar(start)}, window)[0],
              Array::of(expected));
}

TEST(DynamicSlice, StartsOfEveryIntegerDtypeClip) {
  expect_start<int8_t>(-128, {1, 2});
  expect_start<int8_t>(1, {2, 3});
  expect_start<uint8_t>(200, {3, 4});
  expect_start<int16_t>(-1, {1, 2});
  expect_start<uint16_t>(65535, {3, 4});
  expect_start<int32_t>(2, {3, 4});
  expect_start<uint32_t>(4294967295u, {3, 4});
  expect_start<int64_t>(std::numeric_limits<int64_t>::min(), {1, 2});
  expect_start<uint64_t>(std::numeric_limits<uint64_t>::max(), {3, 4});
}

TEST(DynamicSlice, SymbolicSizesAreCheckedByTheRun) {
  std::vector<TensorSpec> specs{{DType::f32, {n}}, {DType::i32, {}}};
  auto window = [](std::vector<Tensor> v) { return std::vector{dynamic_slice(v[0], {v[1]}, {2})}; };
  Array one = Array::scalar(1);
  expect_same(run_both(specs, {Array::of<float>({1, 2, 3}), one}, window)[0],
              Array::of<float>({2, 3}));
  EXPECT_EQ(run_error(specs, {Array::of<float>({1}), one}, window).slug(), "shape-mismatch");
}

TEST(DynamicUpdateSlice, ReplacesTheClippedBox) {
  auto put = [](std::vector<Tensor> v) {
    return std::vector{dynamic_update_slice(v[0], v[1], {v[2], 1})};
  };
  Array zeros = Array::zeros(DType::i32, {3, 3});
  Array update = Array::of<int32_t>({1, 2, 3, 4}, {2, 2});
  expect_same(run_both({zeros, update, Array::scalar(9)}, put)[0],
              Array::of<int32_t>({0, 0, 0, 0, 1, 2, 0, 3, 4}, {3, 3}));
  Array none = Array::zeros(DType::i32, {0, 2});
  expect_same(run_both({zeros, none, Array::scalar(0)}, put)[0], zeros);
}

} // namespace
} // namespace kolam
