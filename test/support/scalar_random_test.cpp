// Known answers of the random generators, and the rows of the elementwise table.
#include "kolam/support/elementwise.h"
#include "kolam/support/scalar/host_builder.h"
#include "kolam/support/scalar/random.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using scalar::HostBuilder;
using Words = std::array<uint32_t, 2>;

Words threefry(Words key, Words counter) {
  HostBuilder b;
  return scalar::threefry2x32(b, key, counter);
}

TEST(Random, threefry_known_answers) {
  EXPECT_EQ(threefry({0, 0}, {0, 0}), (Words{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(threefry({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(threefry({0x13198a2e, 0x03707344}, {0x243f6a88, 0x85a308d3}),
            (Words{0xc4923a9c, 0x483df7a0}));
}

TEST(Random, philox_known_answers) {
  HostBuilder b;
  using Four = std::array<uint32_t, 4>;
  EXPECT_EQ(scalar::philox4x32(b, Words{345, 0}, Four{230, 0, 0, 0}),
            (Four{0x1521bc06, 0xe576cc08, 0x0d9aa15b, 0xbc5c2f59}));
  EXPECT_EQ(scalar::philox4x32(b, Words{0, 0}, Four{0, 0, 0, 0}),
            (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Random, bits_of_every_width_come_from_one_block) {
  HostBuilder b;
  const Words key = {7, 11};
  const uint64_t index = (uint64_t{3} << 32) + 5;
  const Words block = threefry(key, {3, 5});
  EXPECT_EQ(scalar::random_bits<64>(b, key, index), (uint64_t{block[0]} << 32) | block[1]);
  EXPECT_EQ(scalar::random_bits<32>(b, key, index), block[0] ^ block[1]);
  EXPECT_EQ(scalar::random_bits<16>(b, key, index), static_cast<uint16_t>(block[0] ^ block[1]));
  EXPECT_EQ(scalar::random_bits<8>(b, key, index), static_cast<uint8_t>(block[0] ^ block[1]));
}

TEST(Random, split_of_key_zero) {
  // The first child of jax.random.key(0): the answer for zero key and counter.
  HostBuilder b;
  EXPECT_EQ(scalar::split_key(b, Words{0, 0}, uint64_t{0}), (Words{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(scalar::fold_in_key(b, Words{0, 0}, uint32_t{0}), (Words{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(scalar::key_of_seed(b, uint64_t{1} << 32 | 2), (Words{1, 2}));
}

TEST(Random, philox_lanes_follow_the_index) {
  HostBuilder b;
  const auto block = scalar::philox4x32(b, Words{345, 0}, std::array<uint32_t, 4>{230, 0, 9, 1});
  const uint64_t stream = (uint64_t{1} << 32) + 9;
  for (uint64_t lane = 0; lane < 4; ++lane)
    EXPECT_EQ(scalar::philox_bits32(b, Words{345, 0}, 230 * 4 + lane, stream), block[lane]);
}

TEST(ElementwiseTable, names_are_sorted_and_found) {
  for (const ElementwiseRow& row : kElementwiseRows) {
    EXPECT_EQ(parse_fn(row.name), row.fn);
    if (row.fn != Fn::abs) {
      EXPECT_LT(elementwise_row(static_cast<Fn>(static_cast<int>(row.fn) - 1)).name, row.name);
    }
  }
  EXPECT_EQ(parse_fn("relu"), std::nullopt);
}

TEST(ElementwiseTable, differentiable_rows_have_a_derivative_for_each_operand) {
  for (const ElementwiseRow& row : kElementwiseRows) {
    // The derivative of lgamma is digamma, which is no row.
    bool is_exempt = row.gives_boolean || row.fn == Fn::where || row.fn == Fn::lgamma;
    if (!accepts(row.fn, DType::f32) || is_exempt)
      continue;
    for (int i = 0; i < row.arity; ++i)
      EXPECT_FALSE(row.derivative[i].empty()) << row.name;
  }
}

} // namespace
} // namespace kolam
