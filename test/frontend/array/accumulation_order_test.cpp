// The order in which contractions add, bit for bit against a plain re-implementation written from
// its definition.
#include "test/frontend/array/both_backends.h"
#include "test/frontend/array/random_array.h"

#include <cmath>

namespace kolam {
namespace {

using test::run_both;

constexpr int64_t kLengths[] = {0,    1,    63,   64,   65,   511,  512,  513,  1024,
                                1025, 1537, 4095, 4096, 4097, 5000, 8193, 20000};

/// Neighbours merge, level by level; an odd last one moves up. Nothing gives +0.0.
float merge_pairwise(std::vector<float> level) {
  if (level.empty())
    return 0.0f;
  while (level.size() > 1) {
    std::vector<float> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(level[i] + level[i + 1]);
    if (level.size() % 2 == 1)
      next.push_back(level.back());
    level = next;
  }
  return level[0];
}

/// 16 columns or more: chains of 512.
float sum_in_chains(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> chunks;
  for (size_t i = 0; i < a.size(); ++i) {
    if (i % 512 == 0)
      chunks.push_back(0.0f);
    chunks.back() = std::fma(a[i], b[i], chunks.back());
  }
  return merge_pairwise(chunks);
}

/// Fewer columns: 64 lanes in chunks of 4096; lane l merges with l + 32, then l + 16 and so on,
/// where both have elements.
float sum_in_lanes(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> chunks;
  for (size_t start = 0; start < a.size(); start += 4096) {
    size_t count = std::min<size_t>(4096, a.size() - start);
    std::vector<float> lanes(std::min<size_t>(64, count), 0.0f);
    for (size_t i = 0; i < count; ++i)
      lanes[i % 64] = std::fma(a[start + i], b[start + i], lanes[i % 64]);
    for (size_t half : {32, 16, 8, 4, 2, 1})
      for (size_t l = 0; l < half && l + half < lanes.size(); ++l)
        lanes[l] += lanes[l + half];
    chunks.push_back(lanes[0]);
  }
  return merge_pairwise(chunks);
}

Array product_by(float (*sum)(const std::vector<float>&, const std::vector<float>&), const Array& x,
                 const Array& y) {
  int64_t m = x.shape()[0], k = x.shape()[1], n = y.shape()[1];
  Array result = Array::uninitialized(DType::f32, {m, n});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      std::vector<float> a, b;
      for (int64_t l = 0; l < k; ++l) {
        a.push_back(x.values<float>()[i * k + l]);
        b.push_back(y.values<float>()[l * n + j]);
      }
      result.mutable_values<float>()[i * n + j] = sum(a, b);
    }
  return result;
}

std::vector<Tensor> product(std::vector<Tensor> t) { return {matmul(t[0], t[1])}; }

Extent k() { return Extent::symbol("k"); }

TEST(AccumulationOrder, SixteenColumnsAreChains) {
  std::mt19937 random(1);
  for (int64_t length : kLengths) {
    Array x = test::random_floats<float>({2, length}, random);
    Array y = test::random_floats<float>({length, 16}, random);
    Array expected = product_by(sum_in_chains, x, y);
    for (const Extent& extent : {Extent(length), k()}) {
      Array result =
          run_both({{DType::f32, {2, extent}}, {DType::f32, {extent, 16}}}, {x, y}, product)[0];
      EXPECT_TRUE(same_bits(result, expected)) << "k = " << length;
    }
  }
}

TEST(AccumulationOrder, FifteenColumnsAreLanes) {
  std::mt19937 random(2);
  for (int64_t length : kLengths) {
    Array x = test::random_floats<float>({2, length}, random);
    Array y = test::random_floats<float>({length, 15}, random);
    Array expected = product_by(sum_in_lanes, x, y);
    for (const Extent& extent : {Extent(length), k()}) {
      Array result =
          run_both({{DType::f32, {2, extent}}, {DType::f32, {extent, 15}}}, {x, y}, product)[0];
      EXPECT_TRUE(same_bits(result, expected)) << "k = " << length;
    }
  }
}

TEST(AccumulationOrder, SymbolicColumnsAreChainsHoweverFew) {
  std::mt19937 random(3);
  Extent n = Extent::symbol("n");
  for (int64_t columns : {1, 3, 16}) {
    Array x = test::random_floats<float>({2, 300}, random);
    Array y = test::random_floats<float>({300, columns}, random);
    Array result = run_both({{DType::f32, {2, 300}}, {DType::f32, {300, n}}}, {x, y}, product)[0];
    EXPECT_TRUE(same_bits(result, product_by(sum_in_chains, x, y))) << "n = " << columns;
  }
}

/// Random float16 numbers, denormals among them, and the same as float32.
std::pair<Array, Array> random_halves(std::vector<int64_t> shape, std::mt19937& random) {
  Array halves = Array::uninitialized(DType::f16, shape),
        floats = Array::uninitialized(DType::f32, shape);
  for (int64_t i = 0; i < halves.size(); ++i) {
    auto bits = static_cast<uint16_t>(random() & 0xbfff); // exponents below 16: no infinities
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    float magnitude = exponent == 0
                          ? std::ldexp(static_cast<float>(mantissa), -24)
                          : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
    halves.mutable_values<Float16>()[i].bits = bits;
    floats.mutable_values<float>()[i] = bits & 0x8000 ? -magnitude : magnitude;
  }
  return {halves, floats};
}

TEST(AccumulationOrder, HalvesAreAddedAsFloats) {
  std::mt19937 random(5);
  auto in_f32 = [](std::vector<Tensor> t) {
    return std::vector<Tensor>{matmul(t[0], t[1], DType::f32)};
  };
  for (int64_t length : {1, 65, 4097, 8193})
    for (int64_t columns : {15, 16}) {
      auto [x, x_floats] = random_halves({2, length}, random);
      auto [y, y_floats] = random_halves({length, columns}, random);
      Array expected = product_by(columns < 16 ? sum_in_lanes : sum_in_chains, x_floats, y_floats);
      Array result =
          run_both({{DType::f16, {2, k()}}, {DType::f16, {k(), columns}}}, {x, y}, in_f32)[0];
      EXPECT_TRUE(same_bits(result, expected)) << "k = " << length << ", n = " << columns;
    }
}

TEST(AccumulationOrder, SummedDimsAreRowMajorInTheFirstOperandsOrder) {
  std::mt19937 random(4);
  Array x = test::random_floats<float>({2, 5, 31, 7}, random);
  Array y = test::random_floats<float>({7, 31, 5, 16}, random);
  Array result = run_both({x, y}, [](std::vector<Tensor> t) {
    return std::vector<Tensor>{einsum("mabc,cban->mn", {t[0], t[1]})};
  })[0];
  Array reordered = Array::uninitialized(DType::f32, {5 * 31 * 7, 16});
  for (int64_t a = 0; a < 5; ++a)
    for (int64_t b = 0; b < 31; ++b)
      for (int64_t c = 0; c < 7; ++c)
        for (int64_t n = 0; n < 16; ++n)
          reordered.mutable_values<float>()[((a * 31 + b) * 7 + c) * 16 + n] =
              y.values<float>()[((c * 31 + b) * 5 + a) * 16 + n];
  EXPECT_TRUE(same_bits(result, product_by(sum_in_chains, x.reshaped({2, 5 * 31 * 7}), reordered)));
}

} // namespace
} // namespace kolam
