// conv in 1, 2 and 3 dims against its definition, in all dtypes, with symbols, and in its order of
// additions.
#include "test/frontend/array/both_backends.h"
#include "test/frontend/array/random_array.h"

#include <cmath>

namespace kolam {
namespace {

using test::run_both;

test::TensorFunction conv_by(const ConvolutionWindow& window, std::optional<DType> dtype = {}) {
  return
      [=](std::vector<Tensor> t) { return std::vector<Tensor>{conv(t[0], t[1], window, dtype)}; };
}

/// Three spatial dims, one entry each.
struct Geometry {
  int64_t strides[3] = {1, 1, 1}, before[3] = {}, after[3] = {}, dilation[3] = {1, 1, 1},
          groups = 1;
};

int64_t at(const Array& array, const std::vector<int64_t>& index) {
  int64_t cell = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    cell = cell * array.shape()[dim] + index[dim];
  return cell;
}

/// The definition for three spatial dims: `add(sum, x, w)` over window positions row-major, then
/// channels.
template <class T, class Add>
Array define(const Array& x, const Array& w, const Geometry& g, Add add) {
  std::vector<int64_t> shape{x.shape()[0], w.shape()[0]};
  for (int d = 0; d < 3; ++d)
    shape.push_back(
        (x.shape()[d + 2] + g.before[d] + g.after[d] - g.dilation[d] * (w.shape()[d + 2] - 1) - 1) /
            g.strides[d] +
        1);
  Array result = Array::zeros(dtype_of<T>(), shape);
  int64_t channels = w.shape()[1], outputs = w.shape()[0] / g.groups;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t o = 0; o < shape[1]; ++o)
      for (int64_t i = 0; i < shape[2]; ++i)
        for (int64_t j = 0; j < shape[3]; ++j)
          for (int64_t k = 0; k < shape[4]; ++k) {
            T& sum = result.mutable_values<T>()[at(result, {n, o, i, j, k})];
            for (int64_t p = 0; p < w.shape()[2]; ++p)
              for (int64_t q = 0; q < w.shape()[3]; ++q)
                for (int64_t r = 0; r < w.shape()[4]; ++r)
                  for (int64_t c = 0; c < channels; ++c) {
                    int64_t place[3] = {i * g.strides[0] + p * g.dilation[0] - g.before[0],
                                        j * g.strides[1] + q * g.dilation[1] - g.before[1],
                                        k * g.strides[2] + r * g.dilation[2] - g.before[2]};
                    bool inside = true;
                    for (int d = 0; d < 3; ++d)
                      inside &= place[d] >= 0 && place[d] < x.shape()[d + 2];
                    int64_t channel = o / outputs * channels + c;
                    T cell = inside
                                 ? x.values<T>()[at(x, {n, channel, place[0], place[1], place[2]})]
                                 : T(0);
                    sum = add(sum, cell, w.values<T>()[at(w, {o, c, p, q, r})]);
                  }
          }
  return result;
}

template <class T> T multiply_add(T sum, T x, T w) { return static_cast<T>(sum + x * w); }

/// A random case of `rank` spatial dims: the unused leading ones have extent 1.
template <class T> void check_random(int rank, uint32_t seed) {
  std::mt19937 random(seed);
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  };
  Geometry g;
  g.groups = pick(1, 3);
  int64_t channels = pick(1, 3), outputs = g.groups * pick(1, 2);
  std::vector<int64_t> x_shape{pick(1, 2), channels * g.groups}, w_shape{outputs, channels};
  ConvolutionWindow window{{}, PaddingPairs{}, {}, g.groups};
  for (int d = 0; d < rank; ++d) {
    int slot = 3 - rank + d;
    g.strides[slot] = pick(1, 3);
    g.dilation[slot] = pick(1, 2);
    g.before[slot] = pick(0, 2);
    g.after[slot] = pick(0, 2);
    w_shape.push_back(pick(1, 3));
    x_shape.push_back(g.dilation[slot] * (w_shape.back() - 1) + 1 + pick(0, 3));
    window.strides.push_back(g.strides[slot]);
    window.dilation.push_back(g.dilation[slot]);
    std::get<PaddingPairs>(window.padding).emplace_back(g.before[slot], g.after[slot]);
  }
  Array x = test::random_integers<T>(x_shape, random),
        w = test::random_integers<T>(w_shape, random);
  auto with_units = [&](const Array& array) {
    std::vector<int64_t> shape = array.shape();
    shape.insert(shape.begin() + 2, 3 - rank, 1);
    return array.reshaped(shape);
  };
  Array expected = define<T>(with_units(x), with_units(w), g, multiply_add<T>);
  std::vector<int64_t> shape = expected.shape();
  shape.erase(shape.begin() + 2, shape.begin() + 2 + 3 - rank);
  EXPECT_TRUE(same_bits(run_both({x, w}, conv_by(window))[0], expected.reshaped(shape)))
      << "seed " << seed;

  std::vector<TensorSpec> symbolic{{x.dtype(), {}}, {w.dtype(), {}}};
  for (int dim = 0; dim < rank + 2; ++dim) {
    symbolic[0].shape.push_back(Extent::symbol("x" + std::to_string(dim)));
    symbolic[1].shape.push_back(Extent::symbol("w" + std::to_string(dim)));
  }
  EXPECT_TRUE(same_bits(run_both(symbolic, {x, w}, conv_by(window))[0], expected.reshaped(shape)))
      << "seed " << seed;
}

template <class T> class ConvOf : public testing::Test {};
using Numbers = testing::Types<int8_t, int32_t, uint8_t, uint64_t, float, double>;
TYPED_TEST_SUITE(ConvOf, Numbers);

TYPED_TEST(ConvOf, IsTheSumOverTheWindow) {
  for (int rank : {1, 2, 3})
    for (uint32_t seed = 0; seed < 5; ++seed)
      check_random<TypeParam>(rank, seed * 3 + static_cast<uint32_t>(rank));
}

TEST(Conv, AddsWindowPositionsThenChannels) {
  std::mt19937 random(1);
  Array x = test::random_floats<float>({1, 6, 1, 9, 8}, random);
  Array w = test::random_floats<float>({16, 6, 1, 3, 3}, random);
  Geometry g{.before = {0, 1, 1}, .after = {0, 1, 1}};
  Array expected =
      define<float>(x, w, g, [](float sum, float a, float b) { return std::fma(a, b, sum); });
  Array result = run_both({x.reshaped({1, 6, 9, 8}), w.reshaped({16, 6, 3, 3})},
                          conv_by({.padding = Padding::same}))[0];
  EXPECT_TRUE(same_bits(result, expected.reshaped({1, 16, 9, 8})));
}

TEST(Conv, AddsFewChannelsInLanes) {
  // 100 window elements: element i in lane i mod 64, lanes merge by halves.
  std::mt19937 random(2);
  Array x = test::random_floats<float>({1, 1, 100}, random),
        w = test::random_floats<float>({1, 1, 100}, random);
  float lanes[64] = {};
  for (int i = 0; i < 100; ++i)
    lanes[i % 64] = std::fma(x.values<float>()[i], w.values<float>()[i], lanes[i % 64]);
  for (int half : {32, 16, 8, 4, 2, 1})
    for (int l = 0; l < half; ++l)
      lanes[l] += lanes[l + half];
  EXPECT_TRUE(same_bits(run_both({x, w}, conv_by({}))[0], Array::of<float>({lanes[0]}, {1, 1, 1})));
}

TEST(Conv, LetsPaddingTakePartAsZeros) {
  // A zero times an infinite weight is NaN.
  Array x = Array::of<float>({1, 1}, {1, 1, 2}), w = Array::of<float>({INFINITY, 1}, {1, 1, 2});
  Array result = run_both({x, w}, conv_by({.padding = PaddingPairs{{1, 0}}}))[0];
  EXPECT_TRUE(std::isnan(result.values<float>()[0]));
  EXPECT_EQ(result.values<float>()[1], INFINITY);
}

TEST(Conv, PadsForTheSameExtent) {
  Array x = Array::of<float>({1, 2, 3, 4, 5}, {1, 1, 5}), w = Array::of<float>({1, 10}, {1, 1, 2});
  // One element of padding goes after.
  EXPECT_TRUE(same_bits(run_both({x, w}, conv_by({.padding = Padding::same}))[0],
                        Array::of<float>({21, 32, 43, 54, 5}, {1, 1, 5})));
  // ceil(5 / 2) results; the last window starts at element 4.
  EXPECT_TRUE(same_bits(run_both({x, w}, conv_by({.strides = {2}, .padding = Padding::same}))[0],
                        Array::of<float>({21, 43, 5}, {1, 1, 3})));
  std::vector<TensorSpec> symbolic{{DType::f32, {1, 1, Extent::symbol("n")}},
                                   {DType::f32, {1, 1, 2}}};
  EXPECT_TRUE(same_bits(run_both(symbolic, {x, w}, conv_by({.padding = Padding::same}))[0],
                        Array::of<float>({21, 32, 43, 54, 5}, {1, 1, 5})));
}

TEST(Conv, RefusesASymbolicInputThatIsTooShort) {
  std::vector<TensorSpec> symbolic{{DType::f32, {1, 1, Extent::symbol("n")}},
                                   {DType::f32, {1, 1, 3}}};
  Array w = Array::of<float>({1, 1, 1}, {1, 1, 3});
  for (int64_t n : {0, 1, 2}) {
    Array x = Array::zeros(DType::f32, {1, 1, n});
    Error fixed = test::error_of([&] { conv(x, w); });
    EXPECT_EQ(test::run_error(symbolic, {x, w}, conv_by({})).slug(), fixed.slug());
    EXPECT_EQ(fixed.slug(), "shape-mismatch");
  }
  EXPECT_EQ(run_both(symbolic, {Array::zeros(DType::f32, {1, 1, 3}), w}, conv_by({}))[0].shape(),
            (std::vector<int64_t>{1, 1, 1}));
}

TEST(Conv, TakesNoImagesChannelsOrOutputs) {
  auto shape_of = [](std::vector<int64_t> x, std::vector<int64_t> w) {
    return run_both(
        {Array::zeros(DType::f32, std::move(x)), Array::zeros(DType::f32, std::move(w))},
        conv_by({}))[0];
  };
  EXPECT_EQ(shape_of({0, 2, 3}, {4, 2, 2}).size(), 0);
  EXPECT_EQ(shape_of({1, 2, 3}, {0, 2, 2}).size(), 0);
  EXPECT_TRUE(same_bits(shape_of({1, 0, 3}, {1, 0, 2}), Array::zeros(DType::f32, {1, 1, 2})));
}

TEST(Conv, SumsNarrowDtypesInWiderOnes) {
  Array x = Array::of(std::vector<int8_t>(1000, -128), {1, 1, 1000}),
        w = Array::of(std::vector<int8_t>(1000, -128), {1, 1, 1000});
  EXPECT_EQ(run_both({x, w}, conv_by({}, DType::i32))[0].item<int32_t>(), 16384000);
  Array halves = Array::of(std::vector<Float16>(2049, Float16{0x3c00}), {1, 1, 2049});
  EXPECT_EQ(run_both({halves, halves}, conv_by({}, DType::f32))[0].item<float>(), 2049);
  Array brains = Array::of(std::vector<BFloat16>(257, BFloat16{0x3f80}), {1, 1, 257});
  EXPECT_EQ(run_both({brains, brains}, conv_by({}, DType::f32))[0].item<float>(), 257);
  EXPECT_EQ(run_both({brains, brains}, conv_by({}))[0].item<BFloat16>().bits, 0x4380);
}

TEST(Conv, HasANameForEachNumberOfDims) {
  Array x = Array::of<float>({1, 2}, {1, 1, 2}), w = Array::of<float>({3}, {1, 1, 1});
  EXPECT_TRUE(same_bits(conv1d(x, w).array(), Array::of<float>({3, 6}, {1, 1, 2})));
  EXPECT_EQ(conv2d(x.reshaped({1, 1, 1, 2}), w.reshaped({1, 1, 1, 1})).rank(), 4);
  EXPECT_EQ(conv3d(x.reshaped({1, 1, 1, 2, 1}), w.reshaped({1, 1, 1, 1, 1})).rank(), 5);
}

} // namespace
} // namespace kolam
