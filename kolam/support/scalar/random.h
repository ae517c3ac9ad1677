/// Counter-based random bits: threefry2x32-20 and philox4x32-10 (Salmon et al., "Parallel random
/// numbers: as easy as 1, 2, 3", 2011), and keys in JAX's partitionable mode. All words are 32-bit
/// integers.
#pragma once

#include "kolam/support/generator.h"
#include "kolam/support/scalar/builder.h"

#include <array>

namespace kolam::scalar {

template <class V> using WordPair = std::array<V, 2>;

/// One block of threefry2x32 with 20 rounds: (key, counter) -> two words.
template <class B, class V> WordPair<V> threefry2x32(B& b, WordPair<V> key, WordPair<V> counter) {
  constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const auto constant = [&](int64_t value) { return b.int_constant_like(key[0], value); };
  const std::array<V, 3> schedule = {key[0], key[1],
                                     b.xor_(b.xor_(key[0], key[1]), constant(0x1bd11bda))};
  V x0 = b.iadd(counter[0], schedule[0]);
  V x1 = b.iadd(counter[1], schedule[1]);
  for (int group = 0; group < 5; ++group) {
    for (int rotation : rotations[group % 2]) {
      x0 = b.iadd(x0, x1);
      const V rotated = b.or_(b.shl(x1, constant(rotation)), b.lshr(x1, constant(32 - rotation)));
      x1 = b.xor_(rotated, x0);
    }
    x0 = b.iadd(x0, schedule[(group + 1) % 3]);
    x1 = b.iadd(b.iadd(x1, schedule[(group + 2) % 3]), constant(group + 1));
  }
  return {x0, x1};
}

/// One block of philox4x32 with 10 rounds: (key, counter) -> four words.
template <class B, class V>
std::array<V, 4> philox4x32(B& b, WordPair<V> key, std::array<V, 4> counter) {
  const auto constant = [&](int64_t value) { return b.int_constant_like(key[0], value); };
  const auto wide_product = [&](V x, int64_t factor) {
    const auto wide = b.template zext<64>(x);
    return b.imul(wide, b.int_constant_like(wide, factor));
  };
  const auto high = [&](auto wide) {
    return b.template wrap<32>(b.lshr(wide, b.int_constant_like(wide, 32)));
  };
  const auto low = [&](auto wide) { return b.template wrap<32>(wide); };
  for (int round = 0; round < 10; ++round) {
    const auto product0 = wide_product(counter[0], 0xd2511f53);
    const auto product1 = wide_product(counter[2], 0xcd9e8d57);
    counter = {b.xor_(b.xor_(high(product1), counter[1]), key[0]), low(product1),
               b.xor_(b.xor_(high(product0), counter[3]), key[1]), low(product0)};
    key = {b.iadd(key[0], constant(0x9e3779b9)), b.iadd(key[1], constant(0xbb67ae85))};
  }
  return counter;
}

/// A 64-bit index as the counter (high word, low word).
template <class B, class V64> auto counter_of_index(B& b, V64 index) {
  const auto high = b.template wrap<32>(b.lshr(index, b.int_constant_like(index, 32)));
  return std::array{high, b.template wrap<32>(index)};
}

/// The bits of element `index` (64-bit, row-major in the whole array) as JAX's random.bits gives
/// them in partitionable mode: with (a, b) = threefry2x32(key, index), a 2^32 + b for 64 bits, a
/// xor b for 32, its low bits for 16 and 8.
template <int width, class B, class V, class V64>
auto random_bits(B& b, WordPair<V> key, V64 index) {
  const auto [first, second] = threefry2x32(b, key, counter_of_index(b, index));
  if constexpr (width == 64) {
    const auto high = b.template zext<64>(first);
    return b.or_(b.shl(high, b.int_constant_like(high, 32)), b.template zext<64>(second));
  } else {
    return b.template wrap<width>(b.xor_(first, second));
  }
}

/// Child number `index` (64-bit) of a key: split(key, n)[index].
template <class B, class V, class V64> WordPair<V> split_key(B& b, WordPair<V> key, V64 index) {
  return threefry2x32(b, key, counter_of_index(b, index));
}

/// The key that fold_in(key, data) gives for 32-bit `data`.
template <class B, class V> WordPair<V> fold_in_key(B& b, WordPair<V> key, V data) {
  return threefry2x32(b, key, WordPair<V>{b.int_constant_like(data, 0), data});
}

/// The key of a 64-bit seed: (high word, low word). JAX without x64 mode keeps a seed's low word
/// alone.
template <class B, class V64> auto key_of_seed(B& b, V64 seed) { return counter_of_index(b, seed); }

/// The element `index` of a philox4x32 stream: word index % 4 of block index / 4, `stream` (64-bit)
/// in the upper counter words.
template <class B, class V, class V64>
V philox_bits32(B& b, WordPair<V> key, V64 index, V64 stream) {
  const auto block = counter_of_index(b, b.lshr(index, b.int_constant_like(index, 2)));
  const auto upper = counter_of_index(b, stream);
  const auto words = philox4x32(b, key, std::array<V, 4>{block[1], block[0], upper[1], upper[0]});
  const V lane = b.and_(b.template wrap<32>(index), b.int_constant_like(block[0], 3));
  const auto lane_is = [&](int64_t number) {
    return b.ieq(lane, b.int_constant_like(lane, number));
  };
  const V upper_half = b.select(lane_is(2), words[2], words[3]);
  return b.select(lane_is(0), words[0], b.select(lane_is(1), words[1], upper_half));
}

/// The 64 bits of element `index` of a philox4x32 stream: w0 2^32 + w1 with w the words 2 (index %
/// 2) and the next of block index / 2.
template <class B, class V, class V64> V64 philox_bits64(B& b, WordPair<V> key, V64 index) {
  const auto block = counter_of_index(b, b.lshr(index, b.int_constant_like(index, 1)));
  const V zero = b.int_constant_like(block[0], 0);
  const auto words = philox4x32(b, key, std::array<V, 4>{block[1], block[0], zero, zero});
  const auto is_odd = b.ine(b.and_(b.template wrap<32>(index), b.int_constant_like(zero, 1)), zero);
  const auto high = b.template zext<64>(V(b.select(is_odd, words[2], words[0])));
  const auto low = b.template zext<64>(V(b.select(is_odd, words[3], words[1])));
  return b.or_(b.shl(high, b.int_constant_like(high, 32)), low);
}

/// `width` bits of element `index` under either generator; of 8 and 16 bits the low ones of a word.
template <int width, class B, class V, class V64>
auto generate_bits(B& b, Generator generator, WordPair<V> key, V64 index) {
  if (generator == Generator::threefry)
    return random_bits<width>(b, key, index);
  if constexpr (width == 64)
    return philox_bits64(b, key, index);
  else
    return b.template wrap<width>(philox_bits32(b, key, index, b.int_constant_like(index, 0)));
}

} // namespace kolam::scalar
