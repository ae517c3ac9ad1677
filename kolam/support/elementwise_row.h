/// What a row of the table of elementwise functions holds.
#pragma once

#include "kolam/support/dtype.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace kolam {

/// In the order of the table, by name.
// clang-format off
enum class Fn : uint8_t {
  abs, acos, acosh, add, asin, asinh, atan, atan2, atanh, bitwise_and, bitwise_invert,
  bitwise_left_shift, bitwise_or, bitwise_right_shift, bitwise_xor, cbrt, ceil, copysign, cos,
  cosh, divide, equal, erf, erf_inv, erfc, exp, exp2, expm1, floor, floor_divide, fma, fmod,
  greater, greater_equal, hypot, isfinite, isinf, isnan, less, less_equal, lgamma, log, log10,
  log1p, log2, logaddexp, logical_and, logical_not, logical_or, logical_xor, maximum, minimum, multiply, negative,
  not_equal, pow, reciprocal, remainder, round, rsqrt, scale, scale_either, sign, signbit, sin, sinh, sqrt, square,
  subtract, tan, tanh, trunc, where
};
// clang-format on

/// Which operand dtypes a function takes. A function over floats is called on integers by casting
/// them to f32 first; that cast is an op of its own, made by the language.
enum class OperandRule : uint8_t { any, numeric, integer, integer_or_boolean, floating, boolean };

/// The operand e with fn(e, x) = x.
enum class Identity : uint8_t {
  none,
  zero,    ///< 0, or false
  one,     ///< 1, or true
  lowest,  ///< -inf, or the lowest integer
  highest, ///< inf, or the highest integer
  all_ones ///< every bit set
};

/// The largest error in units in the last place that the tests measured, rounded up to a tenth; 0.5
/// where the result is correctly rounded, 0 where it is exact. f16 and bf16 compute in f32 and
/// round once.
struct Accuracy {
  double f32 = 0;
  double f64 = 0;
};

/// One elementwise function.
struct ElementwiseRow {
  Fn fn;
  std::string_view name; ///< the array API's, where it has one
  int arity;
  /// Of an element, as JAX's kernel language estimates costs: what it does not count is 0 of both.
  uint8_t flops = 0, transcendentals = 0;
  OperandRule operands;       ///< of all operands; of `where` all but the first, which is boolean
  bool gives_boolean = false; ///< else the result has the operands' dtype
  std::string_view text;
  /// By operand: an expression over x, y, z and the result r, in numbers, + - * /, parentheses and
  /// functions of this table. "0" where the function is piecewise constant, empty where a
  /// derivative makes no sense.
  std::array<std::string_view, 3> derivative = {};
  Accuracy accuracy{};
  /// Of vector code on an f32, as exp takes kArithmetic.polynomial; 0: that or one, by the
  /// accuracy. Measured by bench/peers/elementary.py.
  uint8_t operations = 0;
  bool branches = false;      ///< on floats, for some elements
  bool calls_library = false; ///< on f64 always calls a function of scalar/libcall.h
  Identity identity = Identity::none;
};

} // namespace kolam
