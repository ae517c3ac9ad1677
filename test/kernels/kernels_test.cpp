// The kernels that come with Kolam beside loops in double, and native code beside the interpreter.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace kolam {
namespace {

using Numbers = std::vector<double>;

/// Normal numbers, the same for a seed.
Tensor random(unsigned seed, const std::vector<int64_t>& shape, DType dtype = DType::f32) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  Numbers numbers(static_cast<size_t>(
      std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>())));
  for (double& number : numbers)
    number = normal(engine);
  return astype(reshape(Tensor(numbers), Shape(shape.begin(), shape.end())), dtype);
}

Tensor integers(const std::vector<int32_t>& numbers) { return Tensor(numbers); }

Numbers exact(const Tensor& x) {
  Array array = astype(x, DType::f64).array();
  auto values = array.values<double>();
  return {values.begin(), values.end()};
}

/// Sums of few terms: relative to the greatest element.
void expect_close(const Tensor& actual, const Numbers& expected, double tolerance = 1e-5) {
  Numbers found = exact(actual);
  ASSERT_EQ(found.size(), expected.size());
  double most = 1e-30;
  for (double number : expected)
    most = std::max(most, std::abs(number));
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - expected[i]), tolerance * most) << "element " << i;
}

/// Runs a kernel with these options in native code, inside jit too, and in the interpreter.
template <class Options, class F> Tensor run(Options options, const F& call) {
  Tensor native = call(options);
  Tensor traced = jit([&](const Tensor&) { return call(options); })(zeros({}));
  options.interpret.emplace();
  Tensor interpreted = call(options);
  EXPECT_EQ(exact(native), exact(interpreted));
  EXPECT_EQ(exact(native), exact(traced));
  return native;
}

Numbers product(const Numbers& x, const Numbers& y, size_t m, size_t k, size_t n) {
  Numbers result(m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t l = 0; l < k; ++l)
        result[i * n + j] += x[i * k + l] * y[l * n + j];
  return result;
}

TEST(Kernels, MatmulWithAnEpilogue) {
  for (auto [dtype, tolerance] :
       {std::pair{DType::f32, 1e-5}, {DType::bf16, 1e-2}, {DType::f64, 1e-12}}) {
    Tensor x = random(0, {33, 20}, dtype), y = random(1, {20, 17}, dtype);
    Numbers expected = product(exact(x), exact(y), 33, 20, 17);
    kernels::MatmulOptions options{.block_m = 8, .block_n = 16, .block_k = 6};
    expect_close(run(options, [&](auto& o) { return kernels::matmul(x, y, o); }), expected,
                 tolerance);
    options.activation = [](const Tensor& sums) { return relu(sums); };
    for (double& number : expected)
      number = std::max(number, 0.0);
    expect_close(run(options, [&](auto& o) { return kernels::matmul(x, y, o); }), expected,
                 tolerance);
  }
}

TEST(Kernels, MlpOfHiddenUnitsThatBlocksDoNotDivide) {
  Tensor x = random(2, {5, 4}), w1 = random(3, {4, 7}), w2 = random(4, {7, 3});
  Tensor b1 = random(5, {7}), b2 = random(6, {3});
  Numbers hidden = product(exact(x), exact(w1), 5, 4, 7), first = exact(b1), second = exact(b2);
  for (size_t i = 0; i < hidden.size(); ++i)
    hidden[i] = std::exp(hidden[i] + first[i % 7]);
  Numbers expected = product(hidden, exact(w2), 5, 7, 3);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] += second[i % 3];
  kernels::MlpOptions options{.b1 = b1, .b2 = b2, .block_m = 2, .block_hidden = 4};
  options.activation = [](const Tensor& units) { return exp(units); };
  expect_close(run(options, [&](auto& o) { return kernels::mlp(x, w1, w2, o); }), expected);
}

TEST(Kernels, Rows) {
  Tensor x = random(7, {2, 9, 5}), weight = random(8, {5}), bias = random(9, {5});
  Numbers all = exact(x), w = exact(weight), b = exact(bias);
  Numbers soft = all, layer = all, rms = all;
  for (size_t row = 0; row < all.size(); row += 5) {
    double most = *std::max_element(&all[row], &all[row] + 5), total = 0, mean = 0, square = 0;
    for (size_t i = row; i < row + 5; ++i) {
      total += std::exp(all[i] - most);
      mean += all[i] / 5;
      square += all[i] * all[i] / 5;
    }
    for (size_t i = row; i < row + 5; ++i) {
      soft[i] = std::exp(all[i] - most) / total;
      layer[i] = (all[i] - mean) / std::sqrt(square - mean * mean + 1e-5) * w[i - row] + b[i - row];
      rms[i] = all[i] / std::sqrt(square + 1e-5) * w[i - row];
    }
  }
  kernels::RowsOptions rows{.block_rows = 4};
  kernels::RowNormOptions norm{.block_rows = 4};
  expect_close(run(rows, [&](auto& o) { return kernels::softmax(x, o); }), soft);
  expect_close(run(norm, [&](auto& o) { return kernels::layer_norm(x, weight, bias, o); }), layer);
  expect_close(run(norm, [&](auto& o) { return kernels::rms_norm(x, weight, o); }), rms);
}

/// Of [batch, heads, d] over [batch, keys, kv_heads, d] and [.., e], of which `lengths` count.
struct Tokens {
  size_t batch = 3, heads = 4, kv_heads = 2, keys = 7, d = 8, e = 5;
  std::vector<int32_t> lengths{0, 7, 4};

  Numbers attention(const Numbers& q, const Numbers& k, const Numbers& v) const {
    Numbers result(batch * heads * e);
    for (size_t row = 0; row < batch * heads; ++row) {
      const size_t b = row / heads, g = row % heads / (heads / kv_heads);
      Numbers powers;
      double total = 0;
      for (size_t s = 0; s < static_cast<size_t>(lengths[b]); ++s) {
        double score = 0;
        for (size_t i = 0; i < d; ++i)
          score += q[row * d + i] * k[((b * keys + s) * kv_heads + g) * d + i];
        powers.push_back(std::exp(score / std::sqrt(static_cast<double>(d))));
        total += powers.back();
      }
      for (size_t s = 0; s < powers.size(); ++s)
        for (size_t i = 0; i < e; ++i)
          result[row * e + i] += powers[s] / total * v[((b * keys + s) * kv_heads + g) * e + i];
    }
    return result;
  }
};

TEST(Kernels, DecodeAttention) {
  Tokens all;
  Tensor q = random(10, {3, 4, 8}), k = random(11, {3, 7, 2, 8}), v = random(12, {3, 7, 2, 5});
  for (int64_t splits : {1, 3, 16}) {
    kernels::DecodeAttentionOptions options{.lengths = integers(all.lengths), .splits = splits};
    expect_close(run(options, [&](auto& o) { return kernels::decode_attention(q, k, v, o); }),
                 all.attention(exact(q), exact(k), exact(v)));
  }
  all.lengths = {7, 7, 7};
  kernels::DecodeAttentionOptions options{.splits = 2};
  expect_close(run(options, [&](auto& o) { return kernels::decode_attention(q, k, v, o); }),
               all.attention(exact(q), exact(k), exact(v)));
}

TEST(Kernels, PagedAttention) {
  Tokens all;
  all.keys = 8;
  Tensor q = random(13, {3, 4, 8}), k = random(14, {2, 6, 2, 8}), v = random(15, {2, 6, 2, 5});
  const std::vector<int32_t> tables{99, 99, 99, 99, 5, 0, 3, 1, 2, 4, 99, 99};
  // The rows of the pages, one sequence after the other.
  auto rows = [&](const Tensor& pages) {
    Tensor numbers = reshape(clip(integers(tables), 0, 5), {3, 4});
    Tensor found = index(pages, {Slice(), numbers}); // [kv_heads, batch, 4, 2, ...]
    return exact(permute_dims(reshape(found, {2, 3, 8, -1}), {1, 2, 0, 3}));
  };
  Tensor table = reshape(integers(tables), {3, 4});
  expect_close(run(kernels::PagedAttentionOptions{},
                   [&](auto& o) {
                     return kernels::paged_attention(q, k, v, table, integers(all.lengths), o);
                   }),
               all.attention(exact(q), rows(k), rows(v)));
}

TEST(Kernels, GroupedMatmul) {
  Tensor x = random(16, {10, 6}), w = random(17, {4, 6, 5});
  for (const std::vector<int32_t>& sizes :
       {std::vector{3, 0, 5, 2}, {0, 0, 0, 0}, {10, 0, 0, 0}, {1, 1, 0, 1}, {4, 5, 6, 1}}) {
    Numbers expected(50), rows = exact(x), matrices = exact(w);
    size_t row = 0;
    for (size_t g = 0; g < 4; ++g)
      for (int32_t i = 0; i < sizes[g] && row < 10; ++i, ++row)
        for (size_t j = 0; j < 5; ++j)
          for (size_t l = 0; l < 6; ++l)
            expected[row * 5 + j] += rows[row * 6 + l] * matrices[(g * 6 + l) * 5 + j];
    for (int64_t block : {3, 4, 128}) {
      kernels::GroupedMatmulOptions options{.block_m = block, .block_n = 4, .block_k = 4};
      expect_close(
          run(options, [&](auto& o) { return kernels::grouped_matmul(x, w, integers(sizes), o); }),
          expected);
    }
  }
}

TEST(Kernels, BlockSparseMatmul) {
  Tensor values = random(18, {3, 2, 4}), y = random(19, {8, 5});
  Tensor indices = reshape(integers({2, 0, 0, 1, 2, 1}), {3, 2});
  Numbers whole(6 * 8), blocks = exact(values);
  const size_t places[3][2] = {{2, 0}, {0, 1}, {2, 1}};
  for (size_t b = 0; b < 3; ++b)
    for (size_t i = 0; i < 8; ++i)
      whole[(places[b][0] * 2 + i / 4) * 8 + places[b][1] * 4 + i % 4] += blocks[b * 8 + i];
  Numbers expected = product(whole, exact(y), 6, 8, 5);
  expected.resize(25);
  kernels::BlockSparseMatmulOptions options{.rows = 5, .block_n = 3};
  expect_close(
      run(options, [&](auto& o) { return kernels::block_sparse_matmul(values, indices, y, o); }),
      expected);
}

TEST(Kernels, Conv2d) {
  Tensor x = random(20, {2, 7, 6, 3}), w = random(21, {3, 2, 3, 4});
  Numbers images = exact(x), filter = exact(w), expected;
  for (int b = 0; b < 2; ++b) // stride (2, 1), padding ((1, 2), (0, 1)), dilation (1, 2)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 5; ++j)
        for (int o = 0; o < 4; ++o) {
          double sum = 0;
          for (int t = 0; t < 18; ++t) {
            const int row = 2 * i + t / 6 - 1, column = j + 2 * (t / 3 % 2), c = t % 3;
            if (row >= 0 && row < 7 && column < 6)
              sum += images[static_cast<size_t>(((b * 7 + row) * 6 + column) * 3 + c)] *
                     filter[static_cast<size_t>(t * 4 + o)];
          }
          expected.push_back(sum);
        }
  kernels::Conv2dOptions options{.stride = {2, 1}, .dilation = {1, 2}, .block_h = 3};
  options.padding = std::array<std::pair<int64_t, int64_t>, 2>{{{1, 2}, {0, 1}}};
  expect_close(run(options, [&](auto& o) { return kernels::conv2d(x, w, o); }), expected);
  EXPECT_EQ(kernels::conv2d(x, w, {.padding = Padding::same}).shape(), (Shape{2, 7, 6, 4}));
}

TEST(Kernels, SelectiveScan) {
  Tensor u = random(22, {2, 5, 3}), delta = abs(random(23, {2, 5, 3}));
  Tensor a = -abs(random(24, {3, 4})), b = random(25, {2, 5, 4}), c = random(26, {2, 5, 4});
  Tensor d = random(27, {3});
  Numbers us = exact(u), by = exact(delta), as = exact(a), bs = exact(b), cs = exact(c);
  Numbers ds = exact(d), state(2 * 3 * 4), expected(2 * 5 * 3);
  for (size_t i = 0; i < expected.size(); ++i) {
    const size_t batch = i / 15, t = i / 3 % 5, channel = i % 3;
    expected[i] = ds[channel] * us[i];
    for (size_t n = 0; n < 4; ++n) {
      double& h = state[(batch * 3 + channel) * 4 + n];
      h = std::exp(by[i] * as[channel * 4 + n]) * h + by[i] * us[i] * bs[(batch * 5 + t) * 4 + n];
      expected[i] += cs[(batch * 5 + t) * 4 + n] * h;
    }
  }
  kernels::SelectiveScanOptions options{.block_channels = 2};
  expect_close(
      run(options, [&](auto& o) { return kernels::selective_scan(u, delta, a, b, c, d, o); }),
      expected);
}

TEST(Kernels, HistogramAsTheArrayFunction) {
  for (DType dtype : {DType::f32, DType::bf16, DType::f64, DType::i32}) {
    Tensor x = astype(random(28, {23, 45}, DType::f64) * 20, dtype);
    Histogram expected = kolam::histogram(x, int64_t{7});
    kernels::CountOptions options{.block = 100};
    EXPECT_EQ(exact(run(options, [&](auto& o) { return kernels::histogram(x, 7, {}, o).counts; })),
              exact(expected.counts));
    EXPECT_EQ(exact(kernels::histogram(x, 7).edges), exact(expected.edges));
    const std::pair<Operand, Operand> wide{-3, 4}; // bins as wide as an integer, for integers
    EXPECT_EQ(
        exact(run(options, [&](auto& o) { return kernels::histogram(x, 7, wide, o).counts; })),
        exact(kolam::histogram(x, int64_t{7}, {.range = wide}).counts));
  }
  Tensor x(std::vector<float>{0, NAN, 1, INFINITY, 0.5F, 2});
  EXPECT_EQ(exact(kernels::histogram(x, 2, {{0.0, 1.0}}).counts), (Numbers{1, 2}));
}

template <class F> void expect_error(const F& call, const std::string& words) {
  try {
    call();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("kernels_test.cpp"), std::string::npos);
  }
}

TEST(Kernels, WrongCallsSayWhatIsExpected) {
  Tensor four = ones({4, 4}), counts = integers({1, 2});
  expect_error([&] { kernels::matmul(four, ones({3, 2})); },
               "matmul: [shape-mismatch] argument 'y': expected extent 4 in dim 0 of [k, n], as k "
               "is before, but got 3 of float32[3, 2]");
  expect_error([&] { kernels::matmul(1.0, four); },
               "matmul: [rank-mismatch] argument 'x': expected dims [m, k], but got float64[]");
  expect_error([&] { kernels::matmul(four, four, {.block_k = 0}); },
               "matmul: [bad-block] argument 'block_k': expected an integer of at least 1");
  expect_error([&] { kernels::mlp(four, four, counts); }, "mlp: [rank-mismatch] argument 'w2'");
  expect_error([&] { kernels::softmax(counts); },
               "softmax: [dtype-mismatch] argument 'x': expected floats, but got int32[2]; write "
               "astype(x, DType::f32)");
  expect_error([&] { kernels::layer_norm(four, ones({3})); },
               "layer_norm: [shape-mismatch] argument 'weight': expected extent 4");
  expect_error([&] { kernels::rms_norm(Tensor(1.0F)); }, "rms_norm: [rank-mismatch] argument 'x'");
  Tensor q = ones({2, 3, 8}), k = ones({2, 5, 2, 8});
  expect_error([&] { kernels::decode_attention(q, k, k); },
               "decode_attention: [shape-mismatch] argument 'q': expected a number of heads that "
               "those of the keys, 2, divide, but got 3");
  expect_error([&] { kernels::paged_attention(q, k, k, four, counts); },
               "paged_attention: [shape-mismatch] argument 'block_tables'");
  expect_error([&] { kernels::grouped_matmul(four, ones({2, 4, 4}), ones({2})); },
               "grouped_matmul: [dtype-mismatch] argument 'group_sizes': expected integers");
  expect_error(
      [&] { kernels::block_sparse_matmul(ones({2, 2, 2}), ones({2, 3}), four, {.rows = 4}); },
      "block_sparse_matmul: [shape-mismatch] argument 'block_indices': expected extent 2");
  expect_error([&] { kernels::conv2d(ones({1, 4, 4, 1}), ones({5, 1, 1, 1})); },
               "conv2d: [shape-mismatch] argument 'w': expected a filter that fits into padded "
               "images of [4, 4], but got one that reaches over [5, 1]");
  expect_error([&] { kernels::conv2d(ones({1, 4, 4, 1}), ones({1, 1, 1, 1}), {.stride = {0, 1}}); },
               "conv2d: [bad-window] argument 'stride': expected integers of at least 1");
  Tensor steps = ones({1, 4, 4});
  expect_error([&] { kernels::selective_scan(steps, steps, ones({3, 4}), steps, steps); },
               "selective_scan: [shape-mismatch] argument 'A'");
  expect_error([&] { kernels::histogram(four, 0); },
               "histogram: [negative-count] argument 'bins': expected 1 bin or more, but got 0");
}

} // namespace
} // namespace kolam
