// Loops of nothing but arithmetic, loads or copies.
#include "kolam/runtime/machine_speed.h"

#include "kolam/runtime/array.h"
#include "kolam/runtime/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

namespace kolam::runtime {
namespace {

template <int bytes> using Floats = float __attribute__((vector_size(bytes)));

/// Chains that do not wait for one another: more than latency times throughput of any core.
constexpr int kChains = 12;
constexpr int64_t kSteps = 20'000;
/// Each figure is the best of so many seconds.
constexpr double kSeconds = 0.004;

/// c = a * c + b, `kSteps` times on each chain.
template <int bytes, bool has_fma> [[gnu::always_inline]] inline void run_chains() {
  using Vector = Floats<bytes>;
  volatile float known_to_nobody = 0.5f; // so that the loop stays
  Vector a = Vector{} + known_to_nobody, b = Vector{} + known_to_nobody;
  Vector chains[kChains];
  for (Vector& chain : chains)
    chain = Vector{} + known_to_nobody;
  for (int64_t i = 0; i < kSteps; ++i)
#pragma clang loop unroll(full)
    for (Vector& chain : chains) {
      if constexpr (has_fma)
        chain = __builtin_elementwise_fma(a, chain, b);
      else
        chain = a * chain + b;
    }
  for (Vector& chain : chains)
    known_to_nobody = chain[0];
}

/// The sum of all floats of a block, whose bytes are a multiple of 8 registers.
template <int bytes>
[[gnu::always_inline]] inline void read_block(const std::byte* data, int64_t n) {
  using Vector = Floats<bytes>;
  Vector sums[8] = {};
  for (int64_t i = 0; i < n; i += 8 * bytes)
#pragma clang loop unroll(full)
    for (int v = 0; v < 8; ++v) {
      Vector value;
      std::memcpy(&value, data + i + v * bytes, bytes);
      sums[v] += value;
    }
  Vector sum = {};
  for (Vector& part : sums)
    sum += part;
  volatile float asked_for = sum[0]; // so that the loop stays
  static_cast<void>(asked_for);
}

/// The two loops for one kind of registers.
struct Loops {
  int lanes;
  void (*compute)();
  void (*read)(const std::byte* data, int64_t bytes);
};

void compute_16() { run_chains<16, false>(); }
void read_16(const std::byte* data, int64_t bytes) { read_block<16>(data, bytes); }
#if defined(__x86_64__)
__attribute__((target("avx"))) void compute_32() { run_chains<32, false>(); }
__attribute__((target("avx2,fma"))) void compute_32_fma() { run_chains<32, true>(); }
__attribute__((target("avx"))) void read_32(const std::byte* data, int64_t bytes) {
  read_block<32>(data, bytes);
}
__attribute__((target("avx512f"))) void compute_64() { run_chains<64, true>(); }
__attribute__((target("avx512f"))) void read_64(const std::byte* data, int64_t bytes) {
  read_block<64>(data, bytes);
}
#endif

Loops loops_for(int vector_bytes, bool has_fma) {
#if defined(__x86_64__)
  if (vector_bytes >= 64 && __builtin_cpu_supports("avx512f"))
    return {16, compute_64, read_64};
  if (vector_bytes >= 32 && has_fma && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma"))
    return {8, compute_32_fma, read_32};
  if (vector_bytes >= 32 && __builtin_cpu_supports("avx"))
    return {8, compute_32, read_32};
#endif
  return {4, compute_16, read_16};
}

/// Runs `f(worker)` once on each of so many threads.
template <class F> void on_threads(int threads, F f) {
  auto chunk = [](void* context, int64_t begin, int64_t end, int) {
    for (int64_t worker = begin; worker < end; ++worker)
      (*static_cast<F*>(context))(worker);
  };
  parallel_for(threads, chunk, &f, threads);
}

/// The least seconds of a call.
template <class F> double least_seconds(F call) {
  using Clock = std::chrono::steady_clock;
  double least = 1e30, spent = 0;
  for (int calls = 0; calls < 2 || spent < kSeconds; ++calls) {
    Clock::time_point start = Clock::now();
    call();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    least = std::min(least, seconds);
    spent += seconds;
  }
  return std::max(least, 1e-9);
}

/// Both loops, each thread on a part of its own again and again, so that waking it counts little.
double bytes_a_second(std::byte* data, int64_t bytes, int threads, const Loops& loops) {
  constexpr int64_t kStep = 1024;
  const int64_t part = std::max(kStep, bytes / threads / kStep * kStep);
  const int64_t repeats = std::max<int64_t>(1, (int64_t{1} << 20) / part);
  const double all = static_cast<double>(part * repeats * threads);
  const double reading = least_seconds([&] {
    on_threads(threads, [&](int64_t worker) {
      for (int64_t i = 0; i < repeats; ++i)
        loops.read(data + worker * part, part);
    });
  });
  const double copying = least_seconds([&] {
    on_threads(threads, [&](int64_t worker) {
      std::byte* own = data + worker * part;
      for (int64_t i = 0; i < repeats; ++i)
        std::memcpy(own + part / 2, own, static_cast<size_t>(part / 2));
    });
  });
  return all / std::min(reading, copying);
}

} // namespace

double most_flops(int vector_bytes, bool has_fma, int threads) {
  const Loops loops = loops_for(vector_bytes, has_fma);
  threads = threads > 0 ? threads : thread_count();
  const double seconds =
      least_seconds([&] { on_threads(threads, [&](int64_t) { loops.compute(); }); });
  return 2.0 * loops.lanes * kChains * kSteps * threads / seconds;
}

double most_bytes(double bytes, int vector_bytes, int threads) {
  threads = threads > 0 ? threads : thread_count();
  const auto size = static_cast<int64_t>(std::max(bytes, 1024.0 * threads));
  Array block = Array::zeros(DType::u8, {size + 1024});
  const Loops loops = loops_for(vector_bytes, false);
  auto* data = static_cast<std::byte*>(block.mutable_data());
  std::memset(data, 0, static_cast<size_t>(size)); // pages of its own
  double most = bytes_a_second(data, size, 1, loops);
  if (threads > 1)
    most = std::max(most, bytes_a_second(data, size, threads, loops));
  return most;
}

} // namespace kolam::runtime
