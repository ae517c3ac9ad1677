// Attention of one sample with eight heads of 64.
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"

#include "kolam/runtime/thread_pool.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace kolam::bench {
namespace {

constexpr int64_t kHeads = 8, kWidth = 64;

/// The goal; vectors of half the length allow half.
int gflops_of_a_core() {
  const char* isa = std::getenv("KOLAM_BENCH_ISA"); // bench/instruction_sets.py
  return isa && std::string_view(isa) == "AVX-512" ? 150 : 75;
}

/// Which keys a query sees: [first, last).
struct Seen {
  int64_t left, right, length; // keys query - left .. query + right
  int64_t first(int64_t query) const { return std::max<int64_t>(0, query - left); }
  int64_t last(int64_t query) const { return std::min(length, query + right + 1); }
  double pairs() const {
    double count = 0;
    for (int64_t query = 0; query < length; ++query)
      count += static_cast<double>(last(query) - first(query));
    return count;
  }
};

/// All queries of the heads, in f64.
struct Reference {
  Seen seen;
  std::vector<double> q, k, v, result;

  void query(int64_t head, int64_t i) {
    const size_t base = static_cast<size_t>(head * seen.length * kWidth);
    const double* row = q.data() + base + static_cast<size_t>(i * kWidth);
    std::vector<double> scores;
    for (int64_t t = seen.first(i); t < seen.last(i); ++t) {
      const double* key = k.data() + base + static_cast<size_t>(t * kWidth);
      double sum = 0;
      for (int64_t d = 0; d < kWidth; ++d)
        sum += row[d] * key[d];
      scores.push_back(sum / std::sqrt(static_cast<double>(kWidth)));
    }
    const double most = std::ranges::max(scores);
    double total = 0;
    for (double& score : scores)
      total += score = std::exp(score - most);
    double* to = result.data() + base + static_cast<size_t>(i * kWidth);
    for (size_t t = 0; t < scores.size(); ++t) {
      const double* value =
          v.data() + base + static_cast<size_t>((seen.first(i) + static_cast<int64_t>(t)) * kWidth);
      for (int64_t d = 0; d < kWidth; ++d)
        to[d] += scores[t] / total * value[d];
    }
  }

  /// Rows [begin, end) of all heads together.
  void rows(int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      query(row / seen.length, row % seen.length);
  }
};

std::vector<double> reference_of(Seen seen, const Array& q, const Array& k, const Array& v) {
  Reference whole{seen, to_doubles(q), to_doubles(k), to_doubles(v), {}};
  whole.result.resize(whole.q.size());
  runtime::parallel_for(
      kHeads * seen.length,
      [](void* context, int64_t begin, int64_t end, int) {
        static_cast<Reference*>(context)->rows(begin, end);
      },
      &whole);
  return std::move(whole.result);
}

Case attention_case(Seen seen, AttentionOptions options, std::optional<double> goal, int threads) {
  const std::vector<int64_t> shape = {1, kHeads, seen.length, kWidth};
  Array q = random_array(DType::f32, shape, 1), k = random_array(DType::f32, shape, 2),
        v = random_array(DType::f32, shape, 3);
  auto f = jit([options](Tensor q, Tensor k, Tensor v) { return attention(q, k, v, options); });
  const double flops = 4 * static_cast<double>(kHeads * kWidth) * seen.pairs();
  const auto bytes = static_cast<double>(q.byte_count());
  return {.work = {.flops = flops, .reads = 3 * bytes, .writes = bytes},
          .goal = goal,
          .ours = [=] { return f(q, k, v).array(); },
          .reference = [=] { return reference_of(seen, q, k, v); },
          .tolerance = 1e-5,
          .peers = {limit(std::to_string(gflops_of_a_core()) + " GFLOP/s a core",
                          flops / (1e9 * gflops_of_a_core() * threads))}};
}

} // namespace

void add_attention(Suite& suite) {
  for (int64_t length : {512, 2048, 4096}) {
    const std::string name = "attention 1x8x" + std::to_string(length) + "x64";
    suite.push_back({name, [=](int threads) {
                       return attention_case({length, length, length}, {}, 1.0, threads);
                     }});
    suite.push_back({name + " causal", [=](int threads) {
                       return attention_case({length, 0, length}, {.causal = true}, 1.0, threads);
                     }});
  }
  // Query i sees the keys i - 548 .. i + 548: a quarter of all pairs.
  suite.push_back({"attention 1x8x4096x64 in a window of a quarter", [](int threads) {
                     const AttentionOptions options = {.window = AttentionWindow{548, 548}};
                     return attention_case({548, 548, 4096}, options, {}, threads);
                   }});
}

} // namespace kolam::bench
