// What a contraction of bfloat16 means is what the instruction vdpbf16ps does, bit for bit.
#include "test/frontend/array/both_backends.h"

#include <bit>
#include <cfloat>
#include <cmath>
#include <random>

#ifdef __x86_64__
#include <immintrin.h>

namespace kolam {
namespace {

constexpr int64_t kLengths[] = {1,   2,   3,    63,   64,   65,   127,  128,
                                129, 255, 4096, 4097, 8191, 8192, 8193, 20001};
constexpr int64_t kColumns = 16;

bool has_instruction() { return __builtin_cpu_supports("avx512bf16"); }

float flush(float x) { return std::fabs(x) < FLT_MIN ? std::copysign(0.0f, x) : x; }

/// sums[j] += the products of 16 pairs, for the pairs that `lanes` selects.
__attribute__((target("avx512f,avx512bf16"))) void add_pairs(float* sums, const uint32_t* x,
                                                             const uint32_t* y, uint16_t lanes) {
  __m512 sum = _mm512_loadu_ps(sums);
  sum = _mm512_mask_dpbf16_ps(sum, lanes, reinterpret_cast<__m512bh>(_mm512_loadu_si512(x)),
                              reinterpret_cast<__m512bh>(_mm512_loadu_si512(y)));
  _mm512_storeu_ps(sums, sum);
}

/// Elements 2p and 2p + 1; beyond the end a zero.
uint32_t pair_at(std::span<const BFloat16> values, int64_t pair, int64_t stride) {
  auto bits = [&](int64_t k) -> uint32_t {
    return k * stride < static_cast<int64_t>(values.size()) ? values[k * stride].bits : 0;
  };
  return bits(2 * pair) | bits(2 * pair + 1) << 16;
}

float merge_pairwise(std::vector<float> level) {
  while (level.size() > 1) {
    std::vector<float> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(flush(level[i] + level[i + 1]));
    if (level.size() % 2 == 1)
      next.push_back(level.back());
    level = next;
  }
  return level[0];
}

/// A row times a matrix of 16 columns: chains of 256 instructions, a column a lane.
std::vector<float> multiply_by_chains(const Array& x, const Array& y) {
  int64_t pairs = (x.size() + 1) / 2;
  std::vector<std::vector<float>> chunks(kColumns);
  float sums[kColumns];
  for (int64_t pair = 0; pair < pairs; ++pair) {
    if (pair % 256 == 0)
      std::fill(sums, sums + kColumns, 0.0f);
    uint32_t row[kColumns], columns[kColumns];
    for (int64_t j = 0; j < kColumns; ++j) {
      row[j] = pair_at(x.values<BFloat16>(), pair, 1);
      columns[j] = pair_at(y.values<BFloat16>().subspan(j), pair, kColumns);
    }
    add_pairs(sums, row, columns, 0xffff);
    if (pair % 256 == 255 || pair == pairs - 1)
      for (int64_t j = 0; j < kColumns; ++j)
        chunks[j].push_back(sums[j]);
  }
  std::vector<float> result;
  for (const auto& sums_of_column : chunks)
    result.push_back(merge_pairwise(sums_of_column));
  return result;
}

/// A row times a column: pair p of a chunk of 2048 goes to lane p mod 64.
float multiply_by_lanes(const Array& x, const Array& y) {
  int64_t pairs = (x.size() + 1) / 2;
  std::vector<float> chunks;
  for (int64_t start = 0; start < pairs; start += 2048) {
    int64_t count = std::min<int64_t>(2048, pairs - start);
    float lanes[64] = {};
    for (int64_t p = 0; p < count; p += 16) {
      uint32_t a[16], b[16];
      for (int64_t i = 0; i < 16; ++i) {
        a[i] = pair_at(x.values<BFloat16>(), start + p + i, 1);
        b[i] = pair_at(y.values<BFloat16>(), start + p + i, 1);
      }
      int64_t here = std::min<int64_t>(16, count - p);
      add_pairs(lanes + p % 64, a, b, static_cast<uint16_t>((1u << here) - 1));
    }
    int64_t used = std::min<int64_t>(64, count);
    for (int64_t half : {32, 16, 8, 4, 2, 1})
      for (int64_t l = 0; l < half && l + half < used; ++l)
        lanes[l] = flush(lanes[l] + lanes[l + half]);
    chunks.push_back(lanes[0]);
  }
  return merge_pairwise(chunks);
}

/// Values around `exponent`, some of them zeros, denormals or, with `specials`, infinities and
/// NaNs.
Array draw(std::vector<int64_t> shape, int exponent, bool specials, std::mt19937& random) {
  Array array = Array::uninitialized(DType::bf16, std::move(shape));
  for (BFloat16& value : array.mutable_values<BFloat16>()) {
    auto sign = static_cast<uint16_t>(random() % 2 << 15),
         mantissa = static_cast<uint16_t>(random() % 128);
    auto biased =
        static_cast<uint16_t>(std::max<int>(exponent + static_cast<int>(random() % 9) - 4, 0));
    if (uint32_t kind = random() % 64; kind < 2)
      biased = 0; // a denormal
    else if (kind == 2)
      biased = mantissa = 0;
    else if (specials && kind == 3 && random() % 64 == 0)
      biased = 255, mantissa = static_cast<uint16_t>(random() % 3);
    value.bits = static_cast<uint16_t>(sign | biased << 7 | mantissa);
  }
  return array;
}

struct Regime {
  int exponent; ///< biased, of each factor
  bool specials;
};
/// Around 1; products around the least normal number, so that sums flush; denormal factors; sums
/// that overflow.
constexpr Regime kRegimes[] = {{127, false}, {127, true}, {64, false},
                               {62, false},  {1, false},  {190, true}};

std::vector<Array> multiply(const Array& x, const Array& y, const Extent& n) {
  Extent k = Extent::symbol("k");
  return test::run_both(
      {{DType::bf16, {1, k}}, {DType::bf16, {k, n}}}, {x, y},
      [](std::vector<Tensor> t) { return std::vector<Tensor>{matmul(t[0], t[1], DType::f32)}; });
}

TEST(Bf16Hardware, ChainsAreChainsOfTheInstruction) {
  if (!has_instruction())
    GTEST_SKIP() << "this CPU has no avx512bf16";
  std::mt19937 random(1);
  for (Regime regime : kRegimes)
    for (int64_t k : kLengths) {
      Array x = draw({1, k}, regime.exponent, regime.specials, random);
      Array y = draw({k, kColumns}, regime.exponent, regime.specials, random);
      EXPECT_TRUE(same_bits(multiply(x, y, kColumns)[0],
                            Array::of(multiply_by_chains(x, y), {1, kColumns})))
          << "k = " << k << ", exponent " << regime.exponent;
    }
}

TEST(Bf16Hardware, LanesAreLanesOfTheInstruction) {
  if (!has_instruction())
    GTEST_SKIP() << "this CPU has no avx512bf16";
  std::mt19937 random(2);
  for (Regime regime : kRegimes)
    for (int64_t k : kLengths) {
      Array x = draw({1, k}, regime.exponent, regime.specials, random);
      Array y = draw({k, 1}, regime.exponent, regime.specials, random);
      EXPECT_TRUE(same_bits(multiply(x, y, 1)[0], Array::of({multiply_by_lanes(x, y)}, {1, 1})))
          << "k = " << k << ", exponent " << regime.exponent;
    }
}

TEST(Bf16Hardware, AnOddLastElementIsPairedWithZero) {
  if (!has_instruction())
    GTEST_SKIP() << "this CPU has no avx512bf16";
  // Two elements leave -0 (a negative denormal sum, flushed); the zero of the next pair makes it
  // +0, and -0 * 1 leaves it so.
  Array x = Array::of<BFloat16>({{0x2000}, {0}, {0x8000}}, {1, 3});
  Array y = Array::uninitialized(DType::bf16, {3, kColumns});
  for (int64_t j = 0; j < kColumns; ++j) {
    y.mutable_values<BFloat16>()[j] = {0x9f00};
    y.mutable_values<BFloat16>()[kColumns + j] = {0};
    y.mutable_values<BFloat16>()[2 * kColumns + j] = {0x3f80};
  }
  Array result = multiply(x, y, kColumns)[0];
  EXPECT_TRUE(same_bits(result, Array::of(multiply_by_chains(x, y), {1, kColumns})));
  EXPECT_TRUE(same_bits(result, Array::zeros(DType::f32, {1, kColumns})));
}

} // namespace
} // namespace kolam

#endif
