// searchsorted and isin: sides, NaN, sorters, empty ones, symbolic extents, beside the standard
// library.
#include "test/frontend/array/both_backends.h"

#include <algorithm>
#include <random>

namespace kolam {
namespace {

using test::error_of;
using test::run_both;
using test::run_error;

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

std::vector<Array> sides(const std::vector<TensorSpec>& specs, const Array& x,
                         const Array& values) {
  return run_both(specs, {x, values}, [](std::vector<Tensor> v) {
    return std::vector{searchsorted(v[0], v[1]), searchsorted(v[0], v[1], Side::right)};
  });
}

std::vector<Array> sides(const Array& x, const Array& values) {
  return sides(test::static_specs({x, values}), x, values);
}

TEST(Searchsorted, NanIsLargest) {
  Array x = Array::of<float>({-1, 0, 0, 2, NAN, NAN});
  Array values = Array::of<float>({-2, -0.0f, 1, 2, INFINITY, NAN});
  auto both = sides(x, values);
  expect_same(both[0], Array::of<int32_t>({0, 1, 3, 3, 4, 4}));
  expect_same(both[1], Array::of<int32_t>({0, 3, 3, 4, 4, 6}));
}

TEST(Searchsorted, DtypesShapesAndEmptyOnes) {
  auto both = sides(Array::of<uint8_t>({1, 5, 255}), Array::of<int8_t>({-1, 5, 6, 127}, {2, 2}));
  expect_same(both[0], Array::of<int32_t>({0, 1, 2, 2}, {2, 2}));
  expect_same(sides(Array::of<bool>({false, true}), Array::of<bool>({true, false}))[1],
              Array::of<int32_t>({2, 1}));
  expect_same(sides(Array::zeros(DType::f32, {0}), Array::of<float>({1, 2}))[0],
              Array::of<int32_t>({0, 0}));
  EXPECT_EQ(sides(Array::of<float>({1}), Array::zeros(DType::f32, {0, 2}))[0].shape(),
            (std::vector<int64_t>{0, 2}));
  expect_same(searchsorted(Array::of<int64_t>({INT64_MIN, INT64_MAX}), 3).array(),
              Array::scalar<int32_t>(1));
}

TEST(Searchsorted, BySorter) {
  Array x = Array::of<int32_t>({30, 10, 20}), values = Array::of<int32_t>({10, 25});
  auto found = run_both({x, values}, [](std::vector<Tensor> v) {
    return std::vector{searchsorted(v[0], v[1], Side::right, argsort(v[0]))};
  });
  expect_same(found[0], Array::of<int32_t>({1, 2}));
  EXPECT_EQ(error_of([&] { searchsorted(x, values, Side::left, values); }).slug(),
            "shape-mismatch");
  EXPECT_EQ(
      error_of([&] { searchsorted(x, values, Side::left, Array::of<float>({0, 1, 2})); }).slug(),
      "dtype-mismatch");
  EXPECT_EQ(error_of([&] { searchsorted(Array::zeros(DType::f32, {2, 2}), values); }).slug(),
            "rank-mismatch");
}

TEST(Searchsorted, AgainstTheStandardLibrary) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<TensorSpec> symbolic{{DType::i32, {Extent::symbol("n")}},
                                   {DType::i32, {Extent::symbol("m")}}};
  for (int64_t length : {0, 1, 2, 3, 16, 17, 1000}) {
    std::vector<int32_t> x(length), values(40), left, right;
    for (int32_t& value : x)
      value = static_cast<int32_t>(random() % 50);
    for (int32_t& value : values)
      value = static_cast<int32_t>(random() % 60) - 5;
    std::sort(x.begin(), x.end());
    for (int32_t value : values) {
      left.push_back(std::lower_bound(x.begin(), x.end(), value) - x.begin());
      right.push_back(std::upper_bound(x.begin(), x.end(), value) - x.begin());
    }
    auto both = sides(Array::of(x), Array::of(values));
    expect_same(both[0], Array::of(left));
    expect_same(both[1], Array::of(right));
    auto wide = sides(symbolic, Array::of(x), Array::of(values));
    expect_same(wide[1], Array::of(std::vector<int64_t>(right.begin(), right.end())));
  }
}

TEST(Isin, IsMembership) {
  Array x = Array::of<float>({1, NAN, 0, 4}, {2, 2}), values = Array::of<float>({4, NAN, -0.0f});
  auto found = run_both({x, values}, [](std::vector<Tensor> v) {
    return std::vector{isin(v[0], v[1]), isin(v[0], v[1], true)};
  });
  expect_same(found[0], Array::of<bool>({false, false, true, true}, {2, 2}));
  expect_same(found[1], Array::of<bool>({true, true, false, false}, {2, 2}));
  expect_same(isin(Array::of<int8_t>({1, 2}), Array::zeros(DType::i8, {0})).array(),
              Array::of<bool>({false, false}));
  EXPECT_EQ(error_of([] { isin(Array::of<uint64_t>({1}), Array::of<int8_t>({1})); }).slug(),
            "no-promotion");
}

} // namespace
} // namespace kolam
