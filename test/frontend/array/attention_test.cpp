// attention against its equation in double precision, masked, causal, batched and with symbols.
#include "test/frontend/array/attention_cases.h"
#include "test/frontend/array/random_array.h"

#include <cmath>

namespace kolam {
namespace {

using test::attend, test::random_rows, test::run_both, test::truth, test::with;

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

TEST(Attention, TakesAnyExtents) {
  std::mt19937 random(7);
  struct Extents {
    int64_t rows, keys, depth, columns;
  };
  for (Extents x : {Extents{1, 1, 1, 1},
                    {1, 300, 8, 16},
                    {5, 128, 3, 2},
                    {17, 129, 20, 9},
                    {48, 127, 16, 17},
                    {97, 40, 4, 33},
                    {100, 260, 7, 8},
                    {3, 5, 300, 270}}) {
    Array q = random_rows({x.rows, x.depth}, random), k = random_rows({x.keys, x.depth}, random),
          v = random_rows({x.keys, x.columns}, random);
    SCOPED_TRACE(to_string(Shape{x.rows, x.keys, x.depth, x.columns}));
    auto all = [](int64_t, int64_t) { return 0.0; };
    expect_near(run_both({q, k, v}, attend())[0], define(q, k, v, 1 / std::sqrt(x.depth), all));
    Extent s = Extent::symbol("s"), d = Extent::symbol("d"), t = Extent::symbol("t"),
           e = Extent::symbol("e");
    std::vector<TensorSpec> specs{{DType::f32, {s, d}}, {DType::f32, {t, d}}, {DType::f32, {t, e}}};
    AttentionOptions options{.causal = true, .window = AttentionWindow{20, {}}};
    auto near = [&](int64_t i, int64_t j) { return j <= i && j >= i - 20; };
    Array result = run_both(specs, {q, k, v}, with(options))[0];
    Array mask = truth(x.rows, x.keys, near);
    EXPECT_TRUE(same_bits(result, run_both({q, k, v, mask}, attend())[0]));
  }
}

TEST(Attention, HeadsShareKeys) {
  std::mt19937 random(11);
  Array q = random_rows({2, 6, 7, 4}, random), k = random_rows({2, 3, 9, 4}, random),
        v = random_rows({2, 3, 9, 5}, random);
  auto repeated = [](std::vector<Tensor> t) {
    return std::vector<Tensor>{attention(t[0], repeat(t[1], 2, 1), repeat(t[2], 2, 1))};
  };
  EXPECT_TRUE(same_bits(run_both({q, k, v}, attend())[0], run_both({q, k, v}, repeated)[0]));
}

TEST(Attention, KeysGoInBlocksOf128) {
  // 2^24 absorbs ones, so the sum of a block shows where it starts.
  Array q = Array::zeros(DType::f32, {1, 1}), k = Array::zeros(DType::f32, {256, 1}),
        v = Array::uninitialized(DType::f32, {256, 1});
  for (float& cell : v.mutable_values<float>())
    cell = 1;
  v.mutable_values<float>()[0] = 0x1p24f;
  EXPECT_EQ(run_both({q, k, v}, attend())[0].item<float>(), (0x1p24f + 128) / 256);
}

TEST(Attention, FusesWhatMovesItsOperands) {
  std::mt19937 random(12);
  Array q = random_rows({1, 20, 2, 4}, random), k = random_rows({1, 30, 2, 4}, random),
        v = random_rows({1, 30, 2, 8}, random);
  auto heads_last = [](std::vector<Tensor> t) {
    auto swapped = [](const Tensor& x) { return permute_dims(x, {0, 2, 1, 3}); };
    return std::vector<Tensor>{
        attention(swapped(t[0]) * 0.5f, astype(swapped(t[1]), DType::f32), swapped(t[2]))};
  };
  auto apart = [](std::vector<Tensor> t) {
    return std::vector<Tensor>{permute_dims(t[0], {0, 2, 1, 3})};
  };
  Array halved = run_both(
      {q}, [&](std::vector<Tensor> t) { return std::vector<Tensor>{apart(t)[0] * 0.5f}; })[0];
  EXPECT_TRUE(
      same_bits(run_both({q, k, v}, heads_last)[0],
                run_both({halved, run_both({k}, apart)[0], run_both({v}, apart)[0]}, attend())[0]));
}

TEST(Attention, TakesWhatIsTheSameEverywhere) {
  std::mt19937 random(14);
  Array k = random_rows({2, 40, 16}, random), v = random_rows({2, 40, 16}, random);
  auto equal_cells = [](std::vector<Tensor> t) {
    AttentionOptions options{.mask = full({48, 40}, 0.5f)};
    return std::vector<Tensor>{attention(full({48, 16}, 0.25f), t[0], t[1], options),
                               attention(t[0], full({40, 16}, 0.25f), full({40, 16}, 2.0f))};
  };
  run_both({k, v}, equal_cells);
}

TEST(Attention, TakesOtherFloats) {
  std::mt19937 random(13);
  Array q = random_rows({2, 37, 12}, random), k = random_rows({2, 140, 12}, random),
        v = random_rows({2, 140, 10}, random);
  for (DType dtype : {DType::f16, DType::bf16, DType::f64}) {
    auto narrow = [&](std::vector<Tensor> t) {
      return std::vector<Tensor>{attention(astype(t[0], dtype), astype(t[1], dtype),
                                           astype(t[2], dtype), {.causal = true})};
    };
    auto wide = [&](std::vector<Tensor> t) {
      DType compute = dtype == DType::f64 ? DType::f64 : DType::f32;
      auto rounded = [&](const Tensor& x) { return astype(astype(x, dtype), compute); };
      Tensor y = attention(rounded(t[0]), rounded(t[1]), rounded(t[2]), {.causal = true});
      return std::vector<Tensor>{astype(y, dtype)};
    };
    EXPECT_TRUE(same_bits(run_both({q, k, v}, narrow)[0], run_both({q, k, v}, wide)[0]));
  }
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
