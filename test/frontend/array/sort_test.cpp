// sort, argsort, top_k: order, ties, NaN, every axis, fused neighbours, symbolic extents and
// refusals.
#include "test/frontend/array/both_backends.h"

#include <numeric>
#include <random>

namespace kolam {
namespace {

using test::error_of;
using test::run_both;
using test::run_error;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

std::vector<Array> sorted(const Array& x, int64_t axis, bool descending) {
  return run_both({x}, [&](std::vector<Tensor> v) {
    return std::vector{sort(v[0], axis, descending), argsort(v[0], axis, descending)};
  });
}

std::vector<Array> top(const Array& x, int64_t k, int64_t axis, bool largest) {
  return run_both({x}, [&](std::vector<Tensor> v) {
    TopK result = top_k(v[0], k, axis, largest);
    return std::vector{result.values, result.indices};
  });
}

TEST(Sort, IsStableWithNanLargestAndZerosEqual) {
  Array x = Array::of<float>({0.0f, kNaN, -kInf, -0.0f, 2, kNaN, 0.0f});
  auto up = sorted(x, -1, false);
  expect_same(up[0], Array::of<float>({-kInf, 0.0f, -0.0f, 0.0f, 2, kNaN, kNaN}));
  expect_same(up[1], Array::of<int32_t>({2, 0, 3, 6, 4, 1, 5}));
  auto down = sorted(x, 0, true);
  expect_same(down[0], Array::of<float>({kNaN, kNaN, 2, 0.0f, -0.0f, 0.0f, -kInf}));
  expect_same(down[1], Array::of<int32_t>({1, 5, 4, 0, 3, 6, 2}));
}

TEST(Sort, EveryDtype) {
  expect_same(sorted(Array::of<bool>({true, false, true}), 0, false)[1],
              Array::of<int32_t>({1, 0, 2}));
  expect_same(sorted(Array::of<int8_t>({1, -128, 127}), 0, false)[0],
              Array::of<int8_t>({-128, 1, 127}));
  expect_same(sorted(Array::of<uint64_t>({1, UINT64_MAX, 0}), 0, true)[0],
              Array::of<uint64_t>({UINT64_MAX, 1, 0}));
  expect_same(sorted(Array::of<BFloat16>({{0x3f80}, {0xbf80}, {0x7fc0}}), 0, false)[1],
              Array::of<int32_t>({1, 0, 2}));
  expect_same(sorted(Array::of<Float16>({{0x3c00}, {0xbc00}}), 0, false)[1],
              Array::of<int32_t>({1, 0}));
  expect_same(sorted(Array::of<double>({2, 1}), 0, false)[0], Array::of<double>({1, 2}));
}

TEST(Sort, EmptyAndSingleRows) {
  for (std::vector<int64_t> shape : {std::vector<int64_t>{0}, {2, 0}, {0, 3}, {1}, {3, 1}})
    EXPECT_EQ(sorted(Array::zeros(DType::f32, shape), -1, false)[0].shape(), shape);
}

TEST(Sort, FedByAndFeedingNests) {
  auto function = [](std::vector<Tensor> v) {
    return std::vector{sort(v[0] * 2) + 1, argsort(-v[0]) + 10};
  };
  auto results = run_both({Array::of<float>({3, 1, 2})}, function);
  expect_same(results[0], Array::of<float>({3, 5, 7}));
  expect_same(results[1], Array::of<int32_t>({10, 12, 11}));
}

TEST(Sort, SymbolicRowsGiveWidePlaces) {
  std::vector<TensorSpec> specs{{DType::f32, {Extent::symbol("n"), Extent::symbol("m")}}};
  Array x = Array::of<float>({3, 1, 2, 4, 6, 5}, {2, 3});
  auto results = run_both(
      specs, {x}, [](std::vector<Tensor> v) { return std::vector{sort(v[0]), argsort(v[0])}; });
  expect_same(results[0], Array::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  expect_same(results[1], Array::of<int64_t>({1, 2, 0, 0, 2, 1}, {2, 3}));
}

TEST(Sort, AgainstTheStandardLibrary) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int64_t length : {2, 17, 300, 5000}) {
    std::vector<int32_t> values(length);
    for (int32_t& value : values)
      value = static_cast<int32_t>(random() % 50) - 25;
    std::vector<int32_t> places(length);
    std::iota(places.begin(), places.end(), 0);
    std::sort(places.begin(), places.end(),
              [&](int a, int b) { return values[a] != values[b] ? values[a] > values[b] : a < b; });
    Array x = Array::of(values);
    expect_same(sorted(x, 0, true)[1], Array::of(places));
    places.resize(length / 2);
    expect_same(top(x, length / 2, 0, true)[1], Array::of(places));
  }
}

TEST(TopK, TakesTheFirstOfTheOrder) {
  Array x = Array::of<float>({1, 3, kNaN, 3, 2, 5, 0, 5, 1, 4}, {2, 5});
  auto largest = top(x, 2, -1, true);
  expect_same(largest[0], Array::of<float>({kNaN, 3, 5, 5}, {2, 2}));
  expect_same(largest[1], Array::of<int32_t>({2, 1, 0, 2}, {2, 2}));
  auto smallest = top(x, 3, 1, false);
  expect_same(smallest[0], Array::of<float>({1, 2, 3, 0, 1, 4}, {2, 3}));
  expect_same(smallest[1], Array::of<int32_t>({0, 4, 1, 1, 3, 4}, {2, 3}));
  EXPECT_EQ(top(x, 0, -1, true)[0].shape(), (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(top(x, 5, -1, true)[0].shape(), (std::vector<int64_t>{2, 5}));
}

TEST(TopK, OtherAxes) {
  Array x = Array::of<int32_t>({1, 9, 7, 4, 5, 6}, {3, 2});
  auto first = top(x, 1, 0, true);
  expect_same(first[0], Array::of<int32_t>({7, 9}, {1, 2}));
  expect_same(first[1], Array::of<int32_t>({1, 0}, {1, 2}));
  expect_same(sorted(x, 0, false)[0], Array::of<int32_t>({1, 4, 5, 6, 7, 9}, {3, 2}));
}

TEST(TopK, SymbolicExtentIsCheckedAtRunTime) {
  std::vector<TensorSpec> specs{{DType::f32, {Extent::symbol("n")}}};
  auto function = [](std::vector<Tensor> v) { return std::vector{top_k(v[0], 2).values}; };
  expect_same(run_both(specs, {Array::of<float>({1, 3, 2})}, function)[0],
              Array::of<float>({3, 2}));
  Error error = run_error(specs, {Array::of<float>({1})}, function);
  EXPECT_EQ(error.slug(), "k-out-of-range");
  EXPECT_EQ(error.message(), "argument 'k': expected a number from 0 to n, but got 2 (first at "
                             "row-major index 0)");
}

} // namespace
} // namespace kolam
