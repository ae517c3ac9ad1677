// Matrix products beside OpenBLAS: the same random operands, outputs compared first.
#include "kolam/kolam.h"

#include <benchmark/benchmark.h>
#include <cblas.h>

#include <cmath>
#include <stdexcept>

namespace kolam {
namespace {

Array random_matrix(int64_t seed, int64_t rows, int64_t columns) {
  return random::normal(random::key(seed), {rows, columns}).array();
}

void blas(const Array& a, const Array& b, std::vector<float>& c) {
  auto m = static_cast<int>(a.shape()[0]), k = static_cast<int>(a.shape()[1]),
       n = static_cast<int>(b.shape()[1]);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.values<float>().data(), k,
              b.values<float>().data(), n, 0, c.data(), n);
}

void require_close(const Array& ours, const std::vector<float>& peers, int64_t k) {
  for (size_t i = 0; i < peers.size(); ++i)
    if (std::abs(ours.values<float>()[i] - peers[i]) > 1e-5f * static_cast<float>(k))
      throw std::runtime_error("the products differ");
}

void set_flops(benchmark::State& state, int64_t n) {
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * static_cast<double>(n * n * n),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

void ours(benchmark::State& state) {
  int64_t n = state.range(0);
  Array a = random_matrix(1, n, n), b = random_matrix(2, n, n);
  auto f = jit([](Tensor x, Tensor y) { return matmul(x, y); });
  std::vector<float> expected(n * n);
  blas(a, b, expected);
  require_close(f(a, b).array(), expected, n);
  for (auto _ : state)
    benchmark::DoNotOptimize(f(a, b));
  set_flops(state, n);
}
BENCHMARK(ours)->Arg(128)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);

void openblas(benchmark::State& state) {
  int64_t n = state.range(0);
  openblas_set_num_threads(1);
  Array a = random_matrix(1, n, n), b = random_matrix(2, n, n);
  std::vector<float> c(n * n);
  for (auto _ : state) {
    blas(a, b, c);
    benchmark::DoNotOptimize(c.data());
  }
  set_flops(state, n);
}
BENCHMARK(openblas)->Arg(128)->Arg(256)->Arg(512)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace kolam
