// What a call costs beside its work: cached calls, calls outside jit, tracing and compiling.
#include "kolam/kolam.h"

#include <benchmark/benchmark.h>

namespace kolam {
namespace {

Tensor layer(Tensor x, Tensor w, Tensor b) { return relu(matmul(x, w) + b); }

Array ones_of(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  std::ranges::fill(array.mutable_values<float>(), 1.0f);
  return array;
}

void cached_call(benchmark::State& state) {
  auto f = jit([](Tensor x) { return x + 1; });
  Array x = ones_of({4});
  for (auto _ : state)
    benchmark::DoNotOptimize(f(x));
}
BENCHMARK(cached_call);

void call_outside_jit(benchmark::State& state) {
  Tensor x = ones_of({2, 2});
  for (auto _ : state)
    benchmark::DoNotOptimize(x + x);
}
BENCHMARK(call_outside_jit);

/// Shapes that no earlier turn had: nothing is found in a cache.
void trace_and_compile_small(benchmark::State& state) {
  int64_t extent = 100;
  for (auto _ : state) {
    Array x = ones_of({++extent});
    benchmark::DoNotOptimize(jit([](Tensor x) { return exp(x) * 2 + 1; })(x));
  }
}
BENCHMARK(trace_and_compile_small)->Unit(benchmark::kMillisecond);

void trace_and_compile_layer(benchmark::State& state) {
  int64_t extent = 100;
  for (auto _ : state) {
    ++extent;
    benchmark::DoNotOptimize(
        jit(layer)(ones_of({8, extent}), ones_of({extent, 16}), ones_of({16})));
  }
}
BENCHMARK(trace_and_compile_layer)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace kolam
