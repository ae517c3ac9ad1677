// Integer functions against brute force over all pairs of 8-bit values, and at the edges of wide
// ones.
#include "test/support/apply.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kolam {
namespace {

int floor_quotient(int x, int y) {
  return y == 0 ? 0 : static_cast<int>(std::floor(static_cast<double>(x) / y));
}

int power(int x, int y) {
  if (y < 0)
    return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  int result = 1;
  for (int i = 0; i < y; ++i)
    result = static_cast<int8_t>(result * x); // wraps alike for int8 and uint8
  return result;
}

template <class T> int shifted(int x, int y, bool left) {
  if (y < 0 || y >= 8)
    return !left && x < 0 ? -1 : 0;
  return left ? x << y : x >> y;
}

/// The meaning in int arithmetic, to be wrapped.
template <class T> int meaning(Fn fn, int x, int y) {
  switch (fn) {
  case Fn::add:
    return x + y;
  case Fn::subtract:
    return x - y;
  case Fn::multiply:
    return x * y;
  case Fn::floor_divide:
    return floor_quotient(x, y);
  case Fn::remainder:
    return y == 0 ? 0 : x - y * floor_quotient(x, y);
  case Fn::minimum:
    return std::min(x, y);
  case Fn::maximum:
    return std::max(x, y);
  case Fn::bitwise_and:
    return x & y;
  case Fn::bitwise_or:
    return x | y;
  case Fn::bitwise_xor:
    return x ^ y;
  case Fn::bitwise_left_shift:
    return shifted<T>(x, y, true);
  case Fn::bitwise_right_shift:
    return shifted<T>(x, y, false);
  default:
    return power(x, y);
  }
}

template <class T> void check_all_pairs() {
  using Limits = std::numeric_limits<T>;
  TestArray<T> x(256 * 256), y(256 * 256);
  for (int64_t i = 0; i < x.count; ++i) {
    x[i] = static_cast<T>(Limits::min() + i / 256);
    y[i] = static_cast<T>(Limits::min() + i % 256);
  }
  for (Fn fn : {Fn::add, Fn::subtract, Fn::multiply, Fn::floor_divide, Fn::remainder, Fn::minimum,
                Fn::maximum, Fn::bitwise_and, Fn::bitwise_or, Fn::bitwise_xor,
                Fn::bitwise_left_shift, Fn::bitwise_right_shift, Fn::pow}) {
    const auto result = apply<T>(fn, x, y);
    for (int64_t i = 0; i < x.count; ++i)
      ASSERT_EQ(result[i], static_cast<T>(meaning<T>(fn, x[i], y[i])))
          << elementwise_row(fn).name << " " << int{x[i]} << " " << int{y[i]};
  }
  const auto less = apply<bool>(Fn::less, x, y);
  const auto less_equal = apply<bool>(Fn::less_equal, x, y);
  const auto greater = apply<bool>(Fn::greater, x, y);
  const auto greater_equal = apply<bool>(Fn::greater_equal, x, y);
  for (int64_t i = 0; i < x.count; ++i) {
    ASSERT_EQ(less[i], x[i] < y[i]);
    ASSERT_EQ(less_equal[i], x[i] <= y[i]);
    ASSERT_EQ(greater[i], x[i] > y[i]);
    ASSERT_EQ(greater_equal[i], x[i] >= y[i]);
  }
}

TEST(Integer, all_pairs_of_i8) { check_all_pairs<int8_t>(); }
TEST(Integer, all_pairs_of_u8) { check_all_pairs<uint8_t>(); }

template <class T> void check_edges() {
  constexpr T low = std::numeric_limits<T>::min();
  constexpr T width = 8 * sizeof(T);
  EXPECT_EQ(apply_one(Fn::floor_divide, low, -1), low);
  EXPECT_EQ(apply_one(Fn::remainder, low, -1), 0);
  EXPECT_EQ(apply_one(Fn::floor_divide, low, 0), 0);
  EXPECT_EQ(apply_one(Fn::remainder, low, 0), 0);
  EXPECT_EQ(apply_one(Fn::floor_divide, T{-7}, 2), -4);
  EXPECT_EQ(apply_one(Fn::remainder, T{-7}, 2), 1);
  EXPECT_EQ(apply_one(Fn::remainder, T{7}, -2), -1);
  EXPECT_EQ(apply_one(Fn::abs, low), low);
  EXPECT_EQ(apply_one(Fn::negative, low), low);
  EXPECT_EQ(apply_one(Fn::sign, low), -1);
  EXPECT_EQ(apply_one(Fn::bitwise_left_shift, T{1}, width), 0);
  EXPECT_EQ(apply_one(Fn::bitwise_left_shift, T{1}, -1), 0);
  EXPECT_EQ(apply_one(Fn::bitwise_right_shift, low, width), -1);
  EXPECT_EQ(apply_one(Fn::bitwise_right_shift, low, -1), -1);
  EXPECT_EQ(apply_one(Fn::bitwise_right_shift, low, width - 1), -1);
  EXPECT_EQ(apply_one(Fn::bitwise_invert, T{5}), -6);
}

TEST(Integer, edges_of_i8) { check_edges<int8_t>(); }
TEST(Integer, edges_of_i16) { check_edges<int16_t>(); }
TEST(Integer, edges_of_i32) { check_edges<int32_t>(); }
TEST(Integer, edges_of_i64) { check_edges<int64_t>(); }

TEST(Integer, pow_wraps) {
  EXPECT_EQ(apply_one(Fn::pow, int64_t{3}, 40), 12157665459056928801u);
  EXPECT_EQ(apply_one(Fn::pow, uint64_t{3}, 40), 12157665459056928801u);
  EXPECT_EQ(apply_one(Fn::pow, int32_t{2}, 31), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(apply_one(Fn::pow, uint16_t{65535}, 2), 1);
}

TEST(Integer, u64_divides_without_sign) {
  const uint64_t high = uint64_t{1} << 63;
  EXPECT_EQ(apply_one(Fn::floor_divide, high + 7, 10), (high + 7) / 10);
  EXPECT_EQ(apply_one(Fn::maximum, high, 1), high);
}

TEST(Boolean, truth_tables) {
  for (bool x : {false, true}) {
    EXPECT_EQ(apply_one(Fn::logical_not, x), !x);
    EXPECT_EQ(apply_one(Fn::bitwise_invert, x), !x);
    for (bool y : {false, true}) {
      EXPECT_EQ(apply_one(Fn::logical_and, x, y), x && y);
      EXPECT_EQ(apply_one(Fn::logical_or, x, y), x || y);
      EXPECT_EQ(apply_one(Fn::logical_xor, x, y), x != y);
      EXPECT_EQ(apply_one(Fn::bitwise_and, x, y), x && y);
      EXPECT_EQ(apply_one(Fn::equal, x, y), x == y);
      EXPECT_EQ(apply_one(Fn::not_equal, x, y), x != y);
      EXPECT_EQ(apply_one(Fn::less, x, y), x < y);
      EXPECT_EQ(apply_one(Fn::less_equal, x, y), x <= y);
      EXPECT_EQ(apply_one(Fn::greater, x, y), x > y);
      EXPECT_EQ(apply_one(Fn::greater_equal, x, y), x >= y);
    }
  }
}

TEST(Where, picks_by_condition) {
  const TestArray<bool> condition(std::vector<bool>{true, false, true});
  const TestArray<int32_t> x(std::vector<int32_t>{1, 2, 3}), y(std::vector<int32_t>{4, 5, 6});
  TestArray<int32_t> result(3);
  const void* inputs[] = {condition.data.get(), x.data.get(), y.data.get()};
  const int64_t strides[] = {1, 1, 1};
  apply_elementwise(Fn::where, DType::i32, inputs, strides, result.data.get(), 3);
  EXPECT_EQ(result[0], 1);
  EXPECT_EQ(result[1], 5);
  EXPECT_EQ(result[2], 3);
}

} // namespace
} // namespace kolam
