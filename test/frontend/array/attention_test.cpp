// attention against its equation in double precision, masked, causal, batched and with symbols.
#include "test/frontend/array/both_backends.h"
#include "test/frontend/array/random_array.h"

#include <cmath>

namespace kolam {
namespace {

using test::run_both;

/// One head: softmax(q k^T scale + bias) v in double.
std::vector<double> define(const Array& q, const Array& k, const Array& v, double scale,
                           const std::function<double(int64_t, int64_t)>& bias) {
  int64_t s = q.shape()[0], d = q.shape()[1], t = k.shape()[0], e = v.shape()[1];
  std::vector<double> result(s * e, 0.0);
  for (int64_t i = 0; i < s; ++i) {
    std::vector<double> powers(t);
    double sum = 0;
    for (int64_t j = 0; j < t; ++j) {
      double score = 0;
      for (int64_t l = 0; l < d; ++l)
        score += double(q.values<float>()[i * d + l]) * k.values<float>()[j * d + l];
      sum += powers[j] = std::exp(score * scale + bias(i, j));
    }
    for (int64_t j = 0; j < t; ++j)
      for (int64_t l = 0; l < e; ++l)
        result[i * e + l] += powers[j] / sum * v.values<float>()[j * e + l];
  }
  return result;
}

/// Weights are within a few ulps of 1 and values within 3, so 1e-5 is some forty ulps of a result.
void expect_near(const Array& result, const std::vector<double>& expected) {
  ASSERT_EQ(result.size(), static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < result.size(); ++i)
    EXPECT_NEAR(result.values<float>()[i], expected[i], 1e-5);
}

struct Head {
  std::mt19937 random{5};
  Array q = test::random_integers<float>({4, 3}, random),
        k = test::random_integers<float>({5, 3}, random),
        v = test::random_integers<float>({5, 2}, random);
  double scale = 1 / std::sqrt(3.0);
};

test::TensorFunction attend(bool causal = false, std::optional<double> scale = {}) {
  return [=](std::vector<Tensor> t) {
    AttentionOptions options{{}, causal, scale};
    if (t.size() > 3)
      options.mask = t[3];
    return std::vector<Tensor>{attention(t[0], t[1], t[2], options)};
  };
}

TEST(Attention, IsItsEquation) {
  Head h;
  auto none = [](int64_t, int64_t) { return 0.0; };
  expect_near(run_both({h.q, h.k, h.v}, attend())[0], define(h.q, h.k, h.v, h.scale, none));
  expect_near(run_both({h.q, h.k, h.v}, attend(false, 0.25))[0], define(h.q, h.k, h.v, 0.25, none));
}

TEST(Attention, IsTheSameWithSymbols) {
  Head h;
  Extent s = Extent::symbol("s"), d = Extent::symbol("d"), t = Extent::symbol("t"),
         e = Extent::symbol("e");
  std::vector<TensorSpec> specs{{DType::f32, {s, d}}, {DType::f32, {t, d}}, {DType::f32, {t, e}}};
  auto causal = [](int64_t i, int64_t j) { return j <= i ? 0.0 : -INFINITY; };
  expect_near(run_both(specs, {h.q, h.k, h.v}, attend(true))[0],
              define(h.q, h.k, h.v, h.scale, causal));
  Array none = Array::zeros(DType::f32, {0, 3});
  EXPECT_TRUE(same_bits(run_both(specs, {h.q, none, Array::zeros(DType::f32, {0, 2})}, attend())[0],
                        Array::zeros(DType::f32, {4, 2})));
}

TEST(Attention, MasksByTruthOrByAddition) {
  Head h;
  Array kept = Array::of<bool>({true, false, true, true, false}),
        added = Array::of<float>({0, -1, 2, 0.5f, 3});
  auto by_truth = [&](int64_t, int64_t j) { return kept.values<bool>()[j] ? 0.0 : -INFINITY; };
  auto by_sum = [&](int64_t, int64_t j) { return double(added.values<float>()[j]); };
  expect_near(run_both({h.q, h.k, h.v, kept}, attend())[0],
              define(h.q, h.k, h.v, h.scale, by_truth));
  expect_near(run_both({h.q, h.k, h.v, added}, attend())[0],
              define(h.q, h.k, h.v, h.scale, by_sum));
}

TEST(Attention, BroadcastsBatchDims) {
  std::mt19937 random(6);
  Array q = test::random_integers<float>({2, 4, 3}, random),
        k = test::random_integers<float>({5, 3}, random);
  Array v = test::random_integers<float>({2, 5, 2}, random);
  Array result = run_both({q, k, v}, attend())[0];
  for (int64_t n = 0; n < 2; ++n)
    EXPECT_TRUE(same_bits(result.slice_outer(n),
                          run_both({q.slice_outer(n), k, v.slice_outer(n)}, attend())[0]));
}

TEST(Attention, NarrowFloatsRoundOnce) {
  // Equal keys: the mean of 1 and 1 + 2^-7, which rounds to even.
  Array q = Array::of<BFloat16>({{0x3f80}}, {1, 1}),
        k = Array::of<BFloat16>({{0x3f80}, {0x3f80}}, {2, 1});
  Array v = Array::of<BFloat16>({{0x3f80}, {0x3f81}}, {2, 1});
  EXPECT_EQ(run_both({q, k, v}, attend())[0].item<BFloat16>().bits, 0x3f80);
}

TEST(Attention, NamesWhatDoesNotFit) {
  auto words = [](std::vector<int64_t> q, std::vector<int64_t> k, std::vector<int64_t> v) {
    return test::error_of([&] {
             attention(Array::zeros(DType::f32, q), Array::zeros(DType::f32, k),
                       Array::zeros(DType::f32, v));
           })
        .message();
  };
  EXPECT_EQ(words({4}, {5, 3}, {5, 2}),
            "argument 'q': expected rank 2 or more, but got float32[4]");
  EXPECT_EQ(words({4, 1}, {5, 3}, {5, 2}), "dim -1 of float32[4, 1] and dim -1 of float32[5, 3]: "
                                           "expected equal extents, but got 1 and 3");
  EXPECT_EQ(words({4, 3}, {5, 3}, {6, 2}), "dim -2 of float32[5, 3] and dim -2 of float32[6, 2]: "
                                           "expected equal extents, but got 5 and 6");
}

} // namespace
} // namespace kolam
