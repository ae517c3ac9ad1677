// Functions written over other array functions: at once and traced alike, beside formulas written
// out. test/python/composites_test.py compares them with NumPy.
#include "test/frontend/array/both_backends.h"

namespace kolam {
namespace {

using runtime::same_bits;
using test::error_of;
using test::run_both;
using Tensors = std::vector<Tensor>;

/// What `function` gives at once; traced on both backends it gives the same.
Array everywhere(const std::vector<Array>& arrays, const test::TensorFunction& function) {
  Array traced = run_both(arrays, function)[0];
  Array at_once = function(Tensors(arrays.begin(), arrays.end()))[0].array();
  EXPECT_TRUE(same_bits(traced, at_once)) << traced.to_string() << at_once.to_string();
  return at_once;
}

template <class T> std::vector<T> values(const Array& array) {
  auto span = array.values<T>();
  return {span.begin(), span.end()};
}

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Closeness, OfFloatsAndIntegers) {
  const Array x({1.0f, kInf, -kInf, kNan, 2.0f}), y({1.000001f, kInf, kInf, kNan, 2.1f});
  auto close = [](Tensors v) { return Tensors{isclose(v[0], v[1])}; };
  EXPECT_EQ(values<bool>(everywhere({x, y}, close)),
            (std::vector<bool>{true, true, false, false, false}));
  EXPECT_TRUE(isclose(x, y, 1e-5, 1e-8, true).array().values<bool>()[3]);
  const Array one({uint8_t{1}}), two({uint8_t{2}});
  EXPECT_TRUE(allclose(one, two, 0, 1).item<bool>()) << "differences of unsigned numbers";
  EXPECT_FALSE(allclose(one, two).item<bool>());
  EXPECT_TRUE(allclose(Array::zeros(DType::f32, {0}), 1.0f).item<bool>());
}

TEST(Closeness, OfWholeArrays) {
  const Array x({1, 2}), y({1, 2, 3});
  EXPECT_FALSE(array_equal(x, y).item<bool>());
  EXPECT_TRUE(array_equal(x, Array({1.0f, 2.0f})).item<bool>());
  EXPECT_FALSE(array_equal(kNan, kNan).item<bool>());
  EXPECT_TRUE(array_equal(kNan, kNan, true).item<bool>());
  EXPECT_FALSE(array_equal(1, x).item<bool>()) << "shapes do not broadcast";
}

TEST(Taper, OfFewElements) {
  for (auto taper : {bartlett, blackman, hamming, hanning}) {
    EXPECT_EQ(taper(0, {}).array().size(), 0);
    EXPECT_EQ(values<float>(taper(1, {}).array()), std::vector<float>{1});
    EXPECT_NEAR(taper(5, {}).array().values<float>()[2], 1, 1e-6);
    EXPECT_EQ(error_of([&] { taper(-1, std::source_location::current()); }).slug(),
              "extent-negative");
  }
  EXPECT_EQ(values<float>(bartlett(5).array()), (std::vector<float>{0, 0.5, 1, 0.5, 0}));
}

TEST(Sequences, ConvolveAndCorrelate) {
  const Array x({1.0f, 2.0f, 3.0f}), y({0.0f, 1.0f, 0.5f, 2.0f});
  for (const Array& a : {x, y})
    for (const Array& b : {x, y}) {
      auto n = a.size(), m = b.size();
      std::vector<float> sums(static_cast<size_t>(n + m - 1));
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < m; ++j)
          sums[static_cast<size_t>(i + j)] +=
              a.values<float>()[static_cast<size_t>(i)] * b.values<float>()[static_cast<size_t>(j)];
      EXPECT_EQ(values<float>(
                    everywhere({a, b}, [](Tensors v) { return Tensors{convolve(v[0], v[1])}; })),
                sums);
      Tensor correlated = correlate(a, b, "full"), turned = convolve(a, flip(b));
      EXPECT_TRUE(allclose(correlated, turned).item<bool>());
      EXPECT_EQ(convolve(a, b, "same").array().size(), std::max(n, m));
      EXPECT_EQ(convolve(a, b, "valid").array().size(), std::max(n, m) - std::min(n, m) + 1);
    }
  EXPECT_EQ(error_of([&] { convolve(x, Array::zeros(DType::f32, {0})); }).slug(), "empty-dim");
  EXPECT_EQ(error_of([&] { convolve(x, 1.0f); }).slug(), "rank-mismatch");
  EXPECT_EQ(error_of([&] { convolve(x, y, "some"); }).slug(), "bad-option");
}

TEST(Sequences, GradientAndArea) {
  auto slopes = [](Tensors v) { return gradient(v[0]); };
  EXPECT_EQ(values<float>(everywhere({Array({1, 2, 4, 7})}, slopes)),
            (std::vector<float>{1, 1.5, 2.5, 3}));
  EXPECT_EQ(values<float>(gradient(Array({1.0f, 3.0f}), {0.5})[0].array()),
            (std::vector<float>{4, 4}));
  EXPECT_EQ(gradient(zeros({2, 3})).size(), 2u);
  EXPECT_EQ(error_of([] { gradient(Array({1})); }).slug(), "empty-dim");
  EXPECT_EQ(error_of([] { gradient(zeros({2, 2}), {1, 2, 3}); }).slug(), "bad-option");
  EXPECT_EQ(error_of([] { gradient(zeros({2, 2}), {}, {0, -2}); }).slug(), "duplicate-axis");
  EXPECT_EQ(trapezoid(Array({1, 2, 3})).item<float>(), 4);
  EXPECT_EQ(trapezoid(Array({1.0f, 2.0f}), Operand(Array({0.0f, 4.0f}))).item<float>(), 6);
  EXPECT_EQ(trapezoid(Array({1.0f})).item<float>(), 0);
  EXPECT_EQ(error_of([] { trapezoid(1.0f); }).slug(), "rank-mismatch");
}

TEST(Sequences, Polynomials) {
  auto value = [](Tensors v) { return Tensors{polyval(v[0], v[1])}; };
  EXPECT_EQ(values<float>(everywhere({Array({1.0f, 0.0f, 2.0f}), Array({3.0f, 4.0f})}, value)),
            (std::vector<float>{11, 18}));
  EXPECT_EQ(values<int32_t>(vander(Array({2, 3}), 3).array()),
            (std::vector<int32_t>{4, 2, 1, 9, 3, 1}));
  EXPECT_EQ(values<int32_t>(vander(Array({2, 3}), {}, true).array()),
            (std::vector<int32_t>{1, 2, 1, 3}));
  EXPECT_EQ(vander(Array({2, 3}), 0).array().shape(), (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(error_of([] { vander(Array({2}), -1); }).slug(), "negative-count");
}

TEST(Products, CrossAndKron) {
  auto crossed = [](Tensors v) { return Tensors{cross(v[0], v[1])}; };
  EXPECT_EQ(values<int32_t>(everywhere({Array({1, 2, 3}), Array({4, 5, 6})}, crossed)),
            (std::vector<int32_t>{-3, 6, -3}));
  EXPECT_EQ(error_of([] { cross(Array({1, 2}), Array({1, 2})); }).slug(), "shape-mismatch");
  EXPECT_EQ(error_of([] { cross(1, 2); }).slug(), "rank-mismatch");
  auto blocks = [](Tensors v) { return Tensors{kron(v[0], v[1])}; };
  EXPECT_EQ(values<int32_t>(everywhere({Array({1, 10}), Array({{1, 2}, {3, 4}})}, blocks)),
            (std::vector<int32_t>{1, 2, 10, 20, 3, 4, 30, 40}));
  EXPECT_EQ(kron(2, 3).item<int32_t>(), 6);
}

TEST(Rearrange, TurnsAndNames) {
  const Array x({{1, 2}, {3, 4}});
  auto turned = [](Tensors v) { return Tensors{rot90(v[0])}; };
  EXPECT_EQ(values<int32_t>(everywhere({x}, turned)), (std::vector<int32_t>{2, 4, 1, 3}));
  EXPECT_TRUE(array_equal(rot90(rot90(x, 3), -7), rot90(x, 0)).item<bool>());
  EXPECT_TRUE(array_equal(rot90(x, 2), flip(x)).item<bool>());
  EXPECT_EQ(error_of([&] { rot90(x, 1, {0, 0}); }).slug(), "duplicate-axis");
  EXPECT_EQ(atleast_3d(x).array().shape(), (std::vector<int64_t>{2, 2, 1}));
  EXPECT_EQ(atleast_3d(1.0f).array().shape(), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(ravel(x).array().shape(), (std::vector<int64_t>{4}));
  EXPECT_EQ(values<float>(tri(2, 3, 1).array()), (std::vector<float>{1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(tri(0).array().size(), 0);
}

TEST(Rearrange, UnravelsAndDivides) {
  const Array places({int8_t{5}, int8_t{-1}, int8_t{0}});
  auto parts = unravel_index(places, {2, 3});
  EXPECT_EQ(values<int8_t>(parts[0].array()), (std::vector<int8_t>{1, 1, 0}));
  EXPECT_EQ(values<int8_t>(parts[1].array()), (std::vector<int8_t>{2, 2, 0}));
  EXPECT_TRUE(unravel_index(places, {}).empty());
  EXPECT_EQ(unravel_index(places, {300, 3})[0].dtype(), DType::i8);
  EXPECT_EQ(error_of([] { unravel_index(Array({1.5f}), {2}); }).slug(), "dtype-mismatch");
  EXPECT_EQ(error_of([] { unravel_index(Array({1}), {-2}); }).slug(), "extent-negative");
  auto [quotient, rest] = divmod(Array({7, -7}), 3);
  EXPECT_EQ(values<int32_t>(quotient.array()), (std::vector<int32_t>{2, -3}));
  EXPECT_EQ(values<int32_t>(rest.array()), (std::vector<int32_t>{1, 2}));
}

} // namespace
} // namespace kolam
