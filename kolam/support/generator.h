/// The generators of random bits that a program can name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kolam {

/// threefry: threefry2x32-20 as JAX's partitionable mode draws from it. philox: philox4x32-10,
/// faster where 32-bit products are; word index % 4 of block index / 4 (64-bit numbers take two
/// neighbouring words).
enum class Generator : uint8_t { threefry, philox };

constexpr std::string_view name(Generator generator) {
  return generator == Generator::threefry ? "threefry" : "philox";
}

constexpr std::optional<Generator> parse_generator(std::string_view text) {
  if (text == "threefry")
    return Generator::threefry;
  if (text == "philox")
    return Generator::philox;
  return std::nullopt;
}

} // namespace kolam
