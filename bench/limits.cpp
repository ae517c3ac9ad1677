// Loops of nothing but multiply-adds, loads or copies. Compiled for the machine at hand.
#include "bench/limits.h"

#include "bench/harness.h"

#include "kolam/runtime/thread_pool.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <immintrin.h>
#include <map>
#include <string>
#include <vector>

namespace kolam::bench {
namespace {

#ifdef __AVX512F__
constexpr int kVectorBytes = 64;
#else
constexpr int kVectorBytes = 32;
#endif
using Floats = float __attribute__((vector_size(kVectorBytes)));
constexpr int kChains = 12; // more than latency times throughput of any core
constexpr int64_t kSteps = 200'000;

/// Hides from the compiler what a value is, so that a loop over it stays.
template <class T> void hide(T& value) { asm volatile("" : "+v"(value)); }

/// `step` on chains that do not wait for one another; the operations of one call are `flops_a_step`
/// a chain and step.
template <class Vector, class Step> void run_chains(Vector start, Step step) {
  Vector chains[kChains];
  for (Vector& chain : chains)
    chain = start;
  for (int64_t i = 0; i < kSteps; ++i)
#pragma clang loop unroll(full)
    for (Vector& chain : chains)
      chain = step(chain);
  for (Vector& chain : chains)
    hide(chain);
}

void run_f32() {
  Floats a = Floats{} + 0.5f, b = Floats{} + 0.25f;
  hide(a), hide(b);
  run_chains(Floats{}, [&](Floats c) { return __builtin_elementwise_fma(a, b, c); });
}

void run_bf16() {
#ifdef __AVX512BF16__
  auto a = std::bit_cast<__m512bh>(_mm512_set1_epi32(0x3f003f00));
  hide(a);
  run_chains(_mm512_setzero_ps(), [&](__m512 c) { return _mm512_dpbf16_ps(c, a, a); });
#else
  run_f32();
#endif
}

void run_i8() {
#ifdef __AVX512VNNI__
  __m512i a = _mm512_set1_epi8(3);
  hide(a);
  run_chains(_mm512_setzero_si512(), [&](__m512i c) { return _mm512_dpbusd_epi32(c, a, a); });
#else
  run_f32();
#endif
}

#ifdef __AVX512BF16__
constexpr int kBf16Width = 2; // products a float of the sum
#else
constexpr int kBf16Width = 1;
#endif
#ifdef __AVX512VNNI__
constexpr int kI8Width = 4;
#else
constexpr int kI8Width = 1;
#endif

struct Kernel {
  void (*run)();
  int width;
};
constexpr Kernel kKernels[std::size(kArithmetics)] = {
    {run_f32, 1}, {run_bf16, kBf16Width}, {run_i8, kI8Width}};

/// Runs `f(worker)` once on every thread of the pool.
template <class F> void on_all_threads(F f) {
  auto chunk = [](void* context, int64_t begin, int64_t end, int) {
    for (int64_t worker = begin; worker < end; ++worker)
      (*static_cast<F*>(context))(worker);
  };
  runtime::parallel_for(runtime::thread_count(), chunk, &f);
}

/// The least seconds of a call among as many as fit into 30 ms.
double least_time(const std::function<void()>& call) {
  double best = time_calls(call, 1), spent = 0;
  while (spent < 0.03) {
    const double seconds = time_calls(call, 1);
    best = std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

/// The share of a worker in `bytes`, cut at cache lines.
struct Piece {
  size_t begin, bytes;
};
Piece piece_of(size_t bytes, int64_t worker) {
  const size_t threads = static_cast<size_t>(runtime::thread_count());
  const size_t lines = (bytes + 63) / 64;
  auto cut = [&](size_t w) { return std::min(bytes, lines * w / threads * 64); };
  const size_t w = static_cast<size_t>(worker);
  return {cut(w), cut(w + 1) - cut(w)};
}

void read_piece(const std::byte* data, size_t bytes) {
  constexpr size_t kStep = 8 * sizeof(Floats);
  Floats sums[8] = {};
  size_t i = 0;
  for (; i + kStep <= bytes; i += kStep)
#pragma clang loop unroll(full)
    for (int v = 0; v < 8; ++v) {
      Floats value;
      std::memcpy(&value, data + i + v * sizeof(Floats), sizeof value);
      sums[v] += value;
    }
  for (Floats& sum : sums)
    hide(sum);
}

void stream_piece(std::byte* to, const std::byte* from, size_t bytes) {
  size_t i = 0;
  for (; i + sizeof(Floats) <= bytes; i += sizeof(Floats)) {
    Floats value;
    std::memcpy(&value, from + i, sizeof value);
    __builtin_nontemporal_store(value, reinterpret_cast<Floats*>(to + i));
  }
  std::memcpy(to + i, from + i, bytes - i);
  _mm_sfence();
}

double cache_bytes(int level) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    int found = 0;
    double kib = 0;
    std::string type;
    if (std::ifstream(folder + "level") >> found && found == level &&
        std::ifstream(folder + "type") >> type && type != "Instruction" &&
        std::ifstream(folder + "size") >> kib)
      return kib * 1024;
  }
  return 0;
}

/// Blocks that are kept: to touch them for the first time takes longer than to measure.
struct Blocks {
  Array from, to;
};
const Blocks& blocks_of(size_t bytes) {
  static std::map<size_t, Blocks> blocks;
  auto touched = [](size_t n) { return Array::zeros(DType::u8, {static_cast<int64_t>(n)}); };
  auto [place, is_new] = blocks.try_emplace(bytes);
  if (is_new)
    place->second = {touched(bytes), touched(bytes / 2)};
  return place->second;
}

/// Reads `bytes`, and copies half as many, so that both stay within the level.
void measure_level(Limits& limits, Level level, size_t bytes) {
  Array from = blocks_of(bytes).from, to = blocks_of(bytes).to;
  const int turns = static_cast<int>(std::max<size_t>(1, (size_t{16} << 20) / bytes));
  auto repeated = [&](auto f) {
    return least_time([&] {
             for (int i = 0; i < turns; ++i)
               f();
           }) /
           turns;
  };
  const int l = static_cast<int>(level);
  const double size = static_cast<double>(bytes);
  limits.read[l] = size / repeated([&] { read_all(from.data(), bytes); });
  double copy = repeated([&] { copy_plain(to.mutable_data(), from.data(), bytes / 2); });
  if (level == Level::memory)
    copy = std::min(copy,
                    repeated([&] { copy_streaming(to.mutable_data(), from.data(), bytes / 2); }));
  limits.copy[l] = size / copy;
}

} // namespace

void read_all(const void* data, size_t bytes) {
  on_all_threads([&](int64_t worker) {
    const Piece piece = piece_of(bytes, worker);
    read_piece(static_cast<const std::byte*>(data) + piece.begin, piece.bytes);
  });
}

void copy_plain(void* to, const void* from, size_t bytes) {
  on_all_threads([&](int64_t worker) {
    const Piece piece = piece_of(bytes, worker);
    std::memcpy(static_cast<std::byte*>(to) + piece.begin,
                static_cast<const std::byte*>(from) + piece.begin, piece.bytes);
  });
}

void copy_streaming(void* to, const void* from, size_t bytes) {
  on_all_threads([&](int64_t worker) {
    const Piece piece = piece_of(bytes, worker);
    stream_piece(static_cast<std::byte*>(to) + piece.begin,
                 static_cast<const std::byte*>(from) + piece.begin, piece.bytes);
  });
}

Limits measure_limits() {
  const int threads = runtime::thread_count();
  Limits limits;
  limits.l2_bytes = cache_bytes(2) * threads;
  limits.l3_bytes = cache_bytes(3);
  for (size_t i = 0; i < std::size(kArithmetics); ++i) {
    const Kernel kernel = kKernels[i];
    const double seconds = least_time([&] { on_all_threads([&](int64_t) { kernel.run(); }); });
    limits.flops[i] =
        2.0 * (kVectorBytes / 4) * kernel.width * kChains * kSteps * threads / seconds;
  }
  measure_level(limits, Level::l2, static_cast<size_t>(limits.l2_bytes / 2));
  measure_level(limits, Level::l3, static_cast<size_t>(limits.l3_bytes / 2));
  measure_level(limits, Level::memory, size_t{256} << 20);
  return limits;
}

Limits better(const Limits& a, const Limits& b) {
  Limits best = a;
  for (size_t i = 0; i < std::size(kArithmetics); ++i)
    best.flops[i] = std::max(a.flops[i], b.flops[i]);
  for (size_t i = 0; i < std::size(kLevels); ++i) {
    best.read[i] = std::max(a.read[i], b.read[i]);
    best.copy[i] = std::max(a.copy[i], b.copy[i]);
  }
  return best;
}

} // namespace kolam::bench
