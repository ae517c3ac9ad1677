// Indexing with integer arrays: placement by NumPy's rule, broadcasting, places in and out of
// bounds, refusals.
#include "test/frontend/array/both_backends.h"

#include <numeric>

namespace kolam {
namespace {

using test::error_of;
using test::run_both;

/// x[i, j, k] = 100 i + 10 j + k.
Array digits(int64_t a, int64_t b, int64_t c) {
  Array array = Array::uninitialized(DType::i32, {a, b, c});
  auto values = array.mutable_values<int32_t>();
  for (int64_t i = 0; i < array.size(); ++i)
    values[i] = static_cast<int32_t>(100 * (i / (b * c)) + 10 * (i / c % b) + i % c);
  return array;
}

/// x[items(arrays)].
Array indexed(const Array& x, const std::vector<Array>& arrays,
              const std::function<std::vector<Index>(std::vector<Tensor>)>& items) {
  std::vector<Array> all{x};
  all.insert(all.end(), arrays.begin(), arrays.end());
  return run_both(all, [&](std::vector<Tensor> v) {
    return std::vector{index(v[0], items({v.begin() + 1, v.end()}))};
  })[0];
}

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

const Array kPlaces = Array::of<int32_t>({1, 0, 1});

TEST(IndexArrays, OneArrayStandsInPlace) {
  Array result = indexed(digits(2, 2, 2), {kPlaces},
                         [](std::vector<Tensor> v) { return std::vector<Index>{Slice{}, v[0]}; });
  expect_same(result,
              Array::of<int32_t>({10, 11, 0, 1, 10, 11, 110, 111, 100, 101, 110, 111}, {2, 3, 2}));
}

TEST(IndexArrays, NeighboursStandWhereTheFirstStood) {
  Array result =
      indexed(digits(2, 3, 4), {kPlaces, Array::of<int32_t>({3, -1, 0})},
              [](std::vector<Tensor> v) { return std::vector<Index>{Slice{}, v[0], v[1]}; });
  expect_same(result, Array::of<int32_t>({13, 3, 10, 113, 103, 110}, {2, 3}));
  Array with_number = indexed(digits(2, 3, 4), {kPlaces}, [](std::vector<Tensor> v) {
    return std::vector<Index>{Slice{}, 2, v[0]};
  });
  expect_same(with_number, Array::of<int32_t>({21, 20, 21, 121, 120, 121}, {2, 3}));
}

TEST(IndexArrays, SeparatedOnesComeToTheFront) {
  std::vector<int64_t> front{3, 3};
  auto around_slice = [](std::vector<Tensor> v) { return std::vector<Index>{v[0], Slice{}, v[0]}; };
  Array result = indexed(digits(2, 3, 4), {kPlaces}, around_slice);
  expect_same(result, Array::of<int32_t>({101, 111, 121, 0, 10, 20, 101, 111, 121}, front));
  EXPECT_EQ(indexed(digits(2, 3, 4), {kPlaces},
                    [](std::vector<Tensor> v) { return std::vector<Index>{0, Slice{}, v[0]}; })
                .shape(),
            front);
  // An ellipsis separates even where it stands for no dim, and so does a new dim. As NumPy 2.
  EXPECT_EQ(indexed(digits(4, 3, 2), {kPlaces},
                    [](std::vector<Tensor> v) {
                      return std::vector<Index>{Slice{}, v[0], ellipsis, v[0]};
                    })
                .shape(),
            (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(indexed(digits(2, 3, 4), {kPlaces},
                    [](std::vector<Tensor> v) { return std::vector<Index>{v[0], newaxis, v[0]}; })
                .shape(),
            (std::vector<int64_t>{3, 1, 4}));
}

TEST(IndexArrays, ArraysBroadcastTogether) {
  Array rows = Array::of<int64_t>({0, 1}, {2, 1}), columns = Array::of<uint8_t>({2, 0, 1});
  Array result = indexed(digits(2, 3, 1), {rows, columns},
                         [](std::vector<Tensor> v) { return std::vector<Index>{v[0], v[1], 0}; });
  expect_same(result, Array::of<int32_t>({20, 0, 10, 120, 100, 110}, {2, 3}));
}

TEST(IndexArrays, SlicesBesideArraysAreCut) {
  Array result = indexed(digits(2, 3, 4), {kPlaces}, [](std::vector<Tensor> v) {
    return std::vector<Index>{v[0], Slice{{}, {}, -2}, 1};
  });
  expect_same(result, Array::of<int32_t>({121, 101, 21, 1, 121, 101}, {3, 2}));
}

TEST(IndexArrays, PlacesCountFromTheEndOnceThenClip) {
  Array result = indexed(digits(1, 1, 4), {Array::of<int32_t>({-1, -4, -9, 9})},
                         [](std::vector<Tensor> v) { return std::vector<Index>{0, 0, v[0]}; });
  expect_same(result, Array::of<int32_t>({3, 0, 0, 3}));
}

TEST(IndexArrays, EmptyArrays) {
  auto first = [](std::vector<Tensor> v) { return std::vector<Index>{v[0]}; };
  Array none = Array::zeros(DType::i32, {0});
  EXPECT_EQ(indexed(digits(2, 3, 4), {none}, first).shape(), (std::vector<int64_t>{0, 3, 4}));
  EXPECT_EQ(indexed(digits(0, 3, 4), {none}, first).shape(), (std::vector<int64_t>{0, 3, 4}));
}

} // namespace
} // namespace kolam
