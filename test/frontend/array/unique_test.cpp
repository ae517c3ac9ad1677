// unique_values, unique_counts, unique_inverse, unique_all: every part, NaN and zeros, sizes asked
// for, empty ones, symbolic extents, beside a map.
#include "test/frontend/array/both_backends.h"

#include <map>
#include <random>

namespace kolam {
namespace {

using test::error_of;
using test::run_both;

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

std::vector<Tensor> all_parts(const Tensor& x, const UniqueOptions& options) {
  UniqueAll all = unique_all(x, options);
  return {all.values, all.indices, all.inverse_indices, all.counts};
}

std::vector<Array> parts(const Array& x, const UniqueOptions& options = {}) {
  return run_both({x}, [&](std::vector<Tensor> v) { return all_parts(v[0], options); });
}

TEST(Unique, EveryPart) {
  auto found = parts(Array::of<int32_t>({3, 1, 3, 2, 1, 3}, {2, 3}));
  expect_same(found[0], Array::of<int32_t>({1, 2, 3}));
  expect_same(found[1], Array::of<int32_t>({1, 3, 0}));
  expect_same(found[2], Array::of<int32_t>({2, 0, 2, 1, 0, 2}, {2, 3}));
  expect_same(found[3], Array::of<int32_t>({2, 1, 3}));
}

TEST(Unique, NanAndZeros) {
  Array x = Array::of<float>({NAN, 0.0f, -0.0f, NAN, -1});
  auto apart = parts(x);
  expect_same(apart[0], Array::of<float>({-1, 0.0f, NAN, NAN}));
  expect_same(apart[3], Array::of<int32_t>({1, 2, 1, 1}));
  UniqueOptions options;
  options.equal_nan = true;
  auto together = parts(x, options);
  expect_same(together[0], Array::of<float>({-1, 0.0f, NAN}));
  expect_same(together[2], Array::of<int32_t>({2, 1, 1, 2, 0}));
}

TEST(Unique, OfASizeThatIsAskedFor) {
  Array x = Array::of<int8_t>({5, 4, 5});
  auto longer = parts(x, {4});
  expect_same(longer[0], Array::of<int8_t>({4, 5, 4, 4}));
  expect_same(longer[1], Array::of<int32_t>({1, 0, 1, 1}));
  expect_same(longer[3], Array::of<int32_t>({1, 2, 0, 0}));
  expect_same(parts(x, {4, 9})[0], Array::of<int8_t>({4, 5, 9, 9}));
  auto shorter = parts(x, {1});
  expect_same(shorter[0], Array::of<int8_t>({4}));
  expect_same(shorter[3], Array::of<int32_t>({1}));
}

TEST(Unique, OfNothingAndOfOne) {
  EXPECT_EQ(parts(Array::zeros(DType::f64, {0, 3}))[0].shape(), std::vector<int64_t>{0});
  EXPECT_EQ(parts(Array::zeros(DType::f64, {0, 3}))[2].shape(), (std::vector<int64_t>{0, 3}));
  expect_same(parts(Array::zeros(DType::i32, {0}), {2, 7})[0], Array::of<int32_t>({7, 7}));
  expect_same(parts(Array::scalar(2.5))[0], Array::of<double>({2.5}));
  expect_same(parts(Array::of<bool>({true, true}))[3], Array::of<int32_t>({2}));
}

TEST(Unique, Refuses) {
  Array x = Array::of<int8_t>({1});
  EXPECT_EQ(error_of([&] { unique_values(x, {-2}); }).slug(), "extent-negative");
  EXPECT_EQ(error_of([&] { unique_values(x, {2, 300}); }).slug(), "scalar-does-not-fit");
  EXPECT_EQ(error_of([&] { unique_values(x, {2, Array::of<int8_t>({1})}); }).slug(),
            "rank-mismatch");
}

TEST(Unique, AgainstAMap) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<TensorSpec> symbolic{{DType::i32, {Extent::symbol("n")}}};
  for (int64_t length : {0, 1, 17, 3000}) {
    std::vector<int32_t> x(length), values, firsts, counts;
    std::map<int32_t, std::vector<int32_t>> places;
    for (int64_t i = 0; i < length; ++i)
      places[x[i] = static_cast<int32_t>(random() % 99)].push_back(static_cast<int32_t>(i));
    for (auto& [value, at] : places) {
      values.push_back(value);
      firsts.push_back(at.front());
      counts.push_back(static_cast<int32_t>(at.size()));
    }
    auto found = parts(Array::of(x));
    expect_same(found[0], Array::of(values));
    expect_same(found[1], Array::of(firsts));
    expect_same(found[3], Array::of(counts));
    auto wide = run_both(symbolic, {Array::of(x)},
                         [](std::vector<Tensor> v) { return all_parts(v[0], {}); });
    expect_same(wide[0], Array::of(values));
    expect_same(wide[3], Array::of(std::vector<int64_t>(counts.begin(), counts.end())));
  }
}

} // namespace
} // namespace kolam
