// take, take_along_axis: against a brute force, places in and out of bounds, empty dims and
// refusals.
#include "test/frontend/array/both_backends.h"

#include <numeric>
#include <random>

namespace kolam {
namespace {

using test::error_of;
using test::run_both;

Array counted(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(DType::i32, std::move(shape));
  auto values = array.mutable_values<int32_t>();
  std::iota(values.begin(), values.end(), 0);
  return array;
}

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

Array taken(const Array& x, const Array& indices, int64_t axis) {
  return run_both({x, indices},
                  [&](std::vector<Tensor> v) { return std::vector{take(v[0], v[1], axis)}; })[0];
}

Array taken_along(const Array& x, const Array& indices, int64_t axis) {
  return run_both({x, indices}, [&](std::vector<Tensor> v) {
    return std::vector{take_along_axis(v[0], v[1], axis)};
  })[0];
}

TEST(Take, PutsTheIndicesDimsInPlaceOfTheAxis) {
  Array x = counted({2, 3, 4}), indices = Array::of<int32_t>({2, 0, 1, 1}, {2, 2});
  Array result = taken(x, indices, 1);
  EXPECT_EQ(result.shape(), (std::vector<int64_t>{2, 2, 2, 4}));
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 4; ++j)
      for (int64_t k = 0; k < 4; ++k)
        EXPECT_EQ(result.values<int32_t>()[(i * 4 + j) * 4 + k],
                  12 * i + 4 * indices.values<int32_t>()[j] + k);
  EXPECT_EQ(taken(x, Array::scalar(int32_t{1}), -1).shape(), (std::vector<int64_t>{2, 3}));
}

TEST(Take, CountsFromTheEndOnceThenClips) {
  Array x = counted({4});
  expect_same(taken(x, Array::of<int64_t>({-1, -4, -5, 4, 3, INT64_MIN, INT64_MAX}), 0),
              Array::of<int32_t>({3, 0, 0, 3, 3, 0, 3}));
  expect_same(taken(x, Array::of<uint64_t>({UINT64_MAX, 1}), 0), Array::of<int32_t>({3, 1}));
  expect_same(taken(x, Array::of<int8_t>({-128, -1}), 0), Array::of<int32_t>({0, 3}));
  expect_same(taken(counted({300}), Array::of<uint8_t>({255}), 0), Array::of<int32_t>({255}));
}

TEST(Take, EmptyIndicesAndEmptyDims) {
  EXPECT_EQ(taken(counted({3, 2}), Array::zeros(DType::i32, {0}), 0).shape(),
            (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(taken(counted({0, 2}), Array::zeros(DType::i32, {0, 5}), 0).shape(),
            (std::vector<int64_t>{0, 5, 2}));
  Tensor empty = counted({0, 2}), one = Array::of<int32_t>({1});
  EXPECT_EQ(
      error_of([&] { take(empty, one, 0); }).message(),
      "argument 'indices': expected no index, for there are no elements, along axis 0, but got "
      "int32[1]");
}

TEST(Take, SymbolicExtents) {
  std::vector<TensorSpec> specs{{DType::i32, {Extent::symbol("n"), 2}},
                                {DType::i32, {Extent::symbol("m")}}};
  for (int64_t n : {1, 3})
    for (int64_t m : {0, 2}) {
      Array x = counted({n, 2}), indices = Array::of(std::vector<int32_t>(m, -1));
      Array result = run_both(specs, {x, indices}, [](std::vector<Tensor> v) {
        return std::vector{take(v[0], v[1], 0)};
      })[0];
      expect_same(result, taken(x, indices, 0));
    }
}

TEST(TakeAlongAxis, TakesOneCellPerRow) {
  Array x = Array::of<int32_t>({3, 1, 2, 9, 7, 8}, {2, 3});
  Array order = Array::of<int32_t>({1, 2, 0, 1, 2, 0}, {2, 3});
  expect_same(taken_along(x, order, -1), Array::of<int32_t>({1, 2, 3, 7, 8, 9}, {2, 3}));
  expect_same(taken_along(x, Array::of<int32_t>({1, 0, -1}, {1, 3}), 0),
              Array::of<int32_t>({9, 1, 8}, {1, 3}));
  expect_same(taken_along(x, Array::of<int32_t>({-1}, {1, 1}), 1),
              Array::of<int32_t>({2, 8}, {2, 1}));
}

TEST(Take, PlacesKeepTheirDtypeBesideFloats) {
  Tensor x = Array::of<float>({1, 2, 3, 4}, {2, 2});
  expect_same(take(x, 1, 1), Array::of<float>({2, 4}));
  expect_same(take(x, -1, 0), Array::of<float>({3, 4}));
  EXPECT_EQ(error_of([&] { take(x, 1.0, 1); }).message(),
            "argument 'indices': expected integers, but got float32[]");
  expect_same(gather(x, Array::of<int64_t>({1}), {0}, {1}), Array::of<float>({3, 4}, {1, 2}));
  Tensor bytes = Array::zeros(DType::u8, {300});
  expect_same(take(bytes, 299, 0), Array::scalar(uint8_t{0}));
}

/// What `take_some` gives with symbolic extents on `n` elements equals what it gives with numbers.
void expect_alike(int64_t n, const test::TensorFunction& take_some) {
  Array x = counted({n, 3});
  Extent rows = Extent::symbol("n");
  expect_same(run_both({{x.dtype(), {rows, 3}}}, {x}, take_some)[0], run_both({x}, take_some)[0]);
}

TEST(Take, OfNoCellsByNoPlacesWithSymbols) {
  for (int64_t n : {0, 1, 3}) {
    expect_alike(n, [](std::vector<Tensor> v) {
      return std::vector{index(v[0], {arange(v[0].shape()[0])})};
    });
    expect_alike(n, [](std::vector<Tensor> v) {
      return std::vector{take(v[0], arange(v[0].shape()[0]), 0)};
    });
    expect_alike(n, [](std::vector<Tensor> v) {
      return std::vector{take_along_axis(v[0], argsort(v[0], 0), 0)};
    });
  }
}

TEST(Take, OfNoCellsByPlacesWithSymbols) {
  std::vector<TensorSpec> specs{{DType::i32, {Extent::symbol("n"), 3}}};
  Tensor places = Array::of<int32_t>({0, 0});
  for (bool by_index : {false, true}) {
    auto taken = [&](std::vector<Tensor> v) {
      return std::vector{by_index ? index(v[0], {places}) : take(v[0], places, 0)};
    };
    Error error = test::run_error(specs, {counted({0, 3})}, taken);
    EXPECT_EQ(error.slug(), "index-out-of-range");
    EXPECT_EQ(error.kind(), ErrorKind::index);
  }
}

TEST(TakeAlongAxis, SortsByArgsort) {
  Array x = Array::of<float>({3, -1, 2, 0.5f, 0, 4}, {2, 3});
  for (int64_t axis : {0, 1}) {
    auto results = run_both({x}, [&](std::vector<Tensor> v) {
      return std::vector{take_along_axis(v[0], argsort(v[0], axis), axis), sort(v[0], axis)};
    });
    expect_same(results[0], results[1]);
  }
}

TEST(TakeAlongAxis, RandomShapes) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int turn = 0; turn < 30; ++turn) {
    auto extent = [&] { return static_cast<int64_t>(1 + random() % 3); };
    std::vector<int64_t> shape{extent(), extent(), extent()}, at = shape;
    size_t axis = random() % 3;
    at[axis] = static_cast<int64_t>(random() % 4);
    Array x = counted(shape), indices = Array::uninitialized(DType::i16, at);
    for (int16_t& place : indices.mutable_values<int16_t>())
      place = static_cast<int16_t>(random() % 9) - 4;
    Array result = taken_along(x, indices, static_cast<int64_t>(axis));
    for (int64_t i = 0; i < result.size(); ++i) {
      int64_t index[] = {i / (at[1] * at[2]), i / at[2] % at[1], i % at[2]};
      int64_t place = indices.values<int16_t>()[i];
      index[axis] =
          std::clamp<int64_t>(place < 0 ? place + shape[axis] : place, 0, shape[axis] - 1);
      EXPECT_EQ(result.values<int32_t>()[i],
                (index[0] * shape[1] + index[1]) * shape[2] + index[2]);
    }
  }
}

} // namespace
} // namespace kolam
