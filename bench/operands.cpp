// Makes random operands, poisons memory, multiplies in f64.
#include "bench/operands.h"

#include "kolam/runtime/thread_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <malloc.h>
#include <stdexcept>

namespace kolam::bench {
namespace {

/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
};

/// An odd multiple of 2^-23 in (-1, 1).
float random_float(SplitMix& random) {
  const auto odd = static_cast<int64_t>(random.next() >> 40 | 1);
  return static_cast<float>(odd - (int64_t{1} << 23)) * 0x1p-23f;
}

/// The upper half of the bits: no rounding is needed for random numbers.
BFloat16 truncated(float value) {
  return {static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16)};
}

template <class T> T random_cell(SplitMix& random) {
  if constexpr (std::is_same_v<T, float>)
    return random_float(random);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return truncated(random_float(random));
  else
    return static_cast<T>(random.next() | 1);
}

template <class T> double as_double(T cell) {
  if constexpr (std::is_same_v<T, BFloat16>)
    return std::bit_cast<float>(static_cast<uint32_t>(cell.bits) << 16);
  else
    return static_cast<double>(cell);
}

/// Calls f with the element type of a dtype that cases use.
template <class F> void visit(DType dtype, F f) {
  if (dtype == DType::f32)
    f(float());
  else if (dtype == DType::bf16)
    f(BFloat16());
  else if (dtype == DType::i8)
    f(int8_t());
  else if (dtype == DType::u8)
    f(uint8_t());
  else if (dtype == DType::i32)
    f(int32_t());
  else
    throw std::invalid_argument("no case uses " + std::string(name(dtype)));
}

/// Rows [begin, end) of a product.
struct Product {
  const double *a, *b;
  double* c;
  int64_t k, n;

  void rows(int64_t begin, int64_t end) const {
    constexpr int64_t kBlock = 64; // rows of b that stay in a cache
    for (int64_t k0 = 0; k0 < k; k0 += kBlock)
      for (int64_t i = begin; i < end; ++i)
        for (int64_t kk = k0; kk < std::min(k, k0 + kBlock); ++kk) {
          const double factor = a[i * k + kk];
          for (int64_t j = 0; j < n; ++j)
            c[i * n + j] += factor * b[kk * n + j];
        }
  }
};

} // namespace

Array random_array(DType dtype, std::vector<int64_t> shape, uint64_t seed) {
  Array array = Array::uninitialized(dtype, std::move(shape));
  SplitMix random{seed * 0x632be59bd9b4e019};
  visit(dtype, [&](auto cell) {
    for (auto& each : array.mutable_values<decltype(cell)>())
      each = random_cell<decltype(cell)>(random);
  });
  return array;
}

Array random_places(std::vector<int64_t> shape, int64_t bound, uint64_t seed) {
  Array array = Array::uninitialized(DType::i32, std::move(shape));
  SplitMix random{seed * 0x632be59bd9b4e019};
  for (int32_t& place : array.mutable_values<int32_t>())
    place = static_cast<int32_t>(random.next() % static_cast<uint64_t>(bound));
  return array;
}

std::vector<double> to_doubles(const Array& array) {
  std::vector<double> result;
  result.reserve(static_cast<size_t>(array.size()));
  visit(array.dtype(), [&](auto cell) {
    for (auto each : array.values<decltype(cell)>())
      result.push_back(as_double(each));
  });
  return result;
}

void poison(Array& array) {
  std::memset(array.mutable_data(), 0xff, static_cast<size_t>(array.byte_count()));
}

std::vector<double> poisoned_result(const std::function<Array()>& f) {
  const Array first = f();
  // The next result may take the memory of this block, or fresh memory, which malloc then fills.
  Array block = Array::uninitialized(first.dtype(), first.shape());
  poison(block);
  block = Array();
  mallopt(M_PERTURB, 0x80);
  const Array second = f();
  mallopt(M_PERTURB, 0);
  return to_doubles(second);
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, int64_t m,
                            int64_t k, int64_t n) {
  std::vector<double> c(static_cast<size_t>(m * n), 0.0);
  Product whole{a.data(), b.data(), c.data(), k, n};
  runtime::parallel_for(
      m,
      [](void* context, int64_t begin, int64_t end, int) {
        static_cast<Product*>(context)->rows(begin, end);
      },
      &whole);
  return c;
}

} // namespace kolam::bench
