/// The table of elementwise functions: what each takes and gives, means, differentiates to, and how
/// accurate it is.
///
/// Bindings, documentation, derivatives and tests read these rows; elementwise_code.h holds the
/// code.
#pragma once

#include "kolam/support/elementwise_row.h"

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace kolam {

/// In the order of Fn.
inline constexpr ElementwiseRow kElementwiseRows[] = {
    // clang-format off
    {.fn = Fn::abs, .name = "abs", .arity = 1, .operands = OperandRule::numeric,
     .text = "|x|; the lowest signed integer stays itself",
     .derivative = {"sign(x)"}},
    {.fn = Fn::acos, .name = "acos", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "arc cosine of x in [-1, 1], in [0, pi]",
     .derivative = {"-1 / sqrt(1 - x * x)"}, .accuracy = {0.6, 1.1}, .operations = 40},
    {.fn = Fn::acosh, .name = "acosh", .arity = 1, .operands = OperandRule::floating,
     .text = "inverse hyperbolic cosine of x >= 1",
     .derivative = {"1 / sqrt((x - 1) * (x + 1))"}, .accuracy = {0.7, 1.3}, .operations = 90},
    {.fn = Fn::add, .name = "add", .arity = 2, .flops = 1, .operands = OperandRule::numeric,
     .text = "x + y",
     .derivative = {"1", "1"}, .accuracy = {0.5, 0.5}, .identity = Identity::zero},
    {.fn = Fn::asin, .name = "asin", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "arc sine of x in [-1, 1], in [-pi/2, pi/2]",
     .derivative = {"1 / sqrt(1 - x * x)"}, .accuracy = {0.7, 1.1}, .operations = 40},
    {.fn = Fn::asinh, .name = "asinh", .arity = 1, .operands = OperandRule::floating,
     .text = "inverse hyperbolic sine",
     .derivative = {"1 / sqrt(x * x + 1)"}, .accuracy = {0.7, 1.4}, .operations = 90},
    {.fn = Fn::atan, .name = "atan", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "arc tangent, in [-pi/2, pi/2]",
     .derivative = {"1 / (1 + x * x)"}, .accuracy = {1, 1.8}, .operations = 45},
    {.fn = Fn::atan2, .name = "atan2", .arity = 2, .operands = OperandRule::floating,
     .text = "angle of the point with ordinate x and abscissa y, in [-pi, pi]",
     .derivative = {"where(equal(hypot(x, y), 0), 0, y / hypot(x, y) / hypot(x, y))",
                    "where(equal(hypot(x, y), 0), 0, -x / hypot(x, y) / hypot(x, y))"}, .accuracy = {1, 1.8}, .operations = 55},
    {.fn = Fn::atanh, .name = "atanh", .arity = 1, .operands = OperandRule::floating,
     .text = "inverse hyperbolic tangent of x in [-1, 1]",
     .derivative = {"1 / (1 - x * x)"}, .accuracy = {0.7, 0.9}, .operations = 60},
    {.fn = Fn::bitwise_and, .name = "bitwise_and", .arity = 2, .flops = 1, .operands = OperandRule::integer_or_boolean,
     .text = "x & y",
     .identity = Identity::all_ones},
    {.fn = Fn::bitwise_invert, .name = "bitwise_invert", .arity = 1, .flops = 1, .operands = OperandRule::integer_or_boolean,
     .text = "~x"},
    {.fn = Fn::bitwise_left_shift, .name = "bitwise_left_shift", .arity = 2, .operands = OperandRule::integer,
     .text = "x 2^y; 0 for y outside [0, width)"},
    {.fn = Fn::bitwise_or, .name = "bitwise_or", .arity = 2, .flops = 1, .operands = OperandRule::integer_or_boolean,
     .text = "x | y",
     .identity = Identity::zero},
    {.fn = Fn::bitwise_right_shift, .name = "bitwise_right_shift", .arity = 2, .operands = OperandRule::integer,
     .text = "floor(x / 2^y); 0, or -1 for negative x, for y outside [0, width)"},
    {.fn = Fn::bitwise_xor, .name = "bitwise_xor", .arity = 2, .flops = 1, .operands = OperandRule::integer_or_boolean,
     .text = "x ^ y",
     .identity = Identity::zero},
    {.fn = Fn::cbrt, .name = "cbrt", .arity = 1, .operands = OperandRule::floating,
     .text = "cube root, of x's sign",
     .derivative = {"1 / (3 * r * r)"}, .accuracy = {0.6, 0.6}, .operations = 50},
    {.fn = Fn::ceil, .name = "ceil", .arity = 1, .flops = 1, .operands = OperandRule::numeric,
     .text = "least integral value >= x",
     .derivative = {"0"}},
    {.fn = Fn::copysign, .name = "copysign", .arity = 2, .flops = 1, .operands = OperandRule::floating,
     .text = "|x| with the sign of y, which is positive for NaN",
     .derivative = {"where(equal(signbit(x), signbit(y)), 1, -1)", "0"}},
    {.fn = Fn::cos, .name = "cos", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "cosine of x radians; for |x| > 2^17 (f32), 2^27 (f64) by a library function",
     .derivative = {"-sin(x)"}, .accuracy = {0.9, 0.9}, .operations = 40, .branches = true},
    {.fn = Fn::cosh, .name = "cosh", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "hyperbolic cosine",
     .derivative = {"sinh(x)"}, .accuracy = {1, 1}, .operations = 30},
    {.fn = Fn::divide, .name = "divide", .arity = 2, .flops = 1, .operands = OperandRule::floating,
     .text = "x / y",
     .derivative = {"1 / y", "-r / y"}, .accuracy = {0.5, 0.5}},
    {.fn = Fn::equal, .name = "equal", .arity = 2, .operands = OperandRule::any, .gives_boolean = true,
     .text = "x = y; false on NaN"},
    {.fn = Fn::erf, .name = "erf", .arity = 1, .operands = OperandRule::floating,
     .text = "2 / sqrt(pi) integral of exp(-t^2) over [0, x]",
     .derivative = {"1.1283791670955126 * exp(-(x * x))"}, .accuracy = {1.2, 1.2}},
    {.fn = Fn::erf_inv, .name = "erf_inv", .arity = 1, .operands = OperandRule::floating,
     .text = "the t with erf(t) = x; infinite at -1 and 1, NaN beyond",
     .derivative = {"0.88622692545275801 * exp(r * r)"}, .accuracy = {3, 2.7}},
    {.fn = Fn::erfc, .name = "erfc", .arity = 1, .operands = OperandRule::floating,
     .text = "1 - erf(x) without cancellation",
     .derivative = {"-1.1283791670955126 * exp(-(x * x))"}, .accuracy = {0.6, 2}, .operations = 90},
    {.fn = Fn::exp, .name = "exp", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "e^x",
     .derivative = {"r"}, .accuracy = {1.1, 1}},
    {.fn = Fn::exp2, .name = "exp2", .arity = 1, .operands = OperandRule::floating,
     .text = "2^x",
     .derivative = {"0.69314718055994531 * r"}, .accuracy = {1, 0.9}},
    {.fn = Fn::expm1, .name = "expm1", .arity = 1, .operands = OperandRule::floating,
     .text = "e^x - 1",
     .derivative = {"r + 1"}, .accuracy = {1.6, 1.9}},
    {.fn = Fn::floor, .name = "floor", .arity = 1, .flops = 1, .operands = OperandRule::numeric,
     .text = "greatest integral value <= x",
     .derivative = {"0"}},
    {.fn = Fn::floor_divide, .name = "floor_divide", .arity = 2, .flops = 3, .operands = OperandRule::numeric,
     .text = "floor(x / y); integers: 0 for y = 0, MIN / -1 wraps; floats: as Python, x / y for y = 0",
     .derivative = {"0", "0"}, .accuracy = {1.5, 1.5}, .operations = 30, .branches = true},
    {.fn = Fn::fma, .name = "fma", .arity = 3, .flops = 2, .operands = OperandRule::floating,
     .text = "x y + z, rounded once",
     .derivative = {"y", "x", "1"}, .accuracy = {0.5, 0.5}},
    {.fn = Fn::fmod, .name = "fmod", .arity = 2, .operands = OperandRule::numeric,
     .text = "x - y trunc(x / y), of x's sign; integers: 0 for y = 0; floats: exact, NaN for y = 0",
     .derivative = {"1", "-trunc(x / y)"}, .operations = 20, .branches = true},
    {.fn = Fn::greater, .name = "greater", .arity = 2, .operands = OperandRule::any, .gives_boolean = true,
     .text = "x > y; false on NaN"},
    {.fn = Fn::greater_equal, .name = "greater_equal", .arity = 2, .operands = OperandRule::any, .gives_boolean = true,
     .text = "x >= y; false on NaN"},
    {.fn = Fn::hypot, .name = "hypot", .arity = 2, .operands = OperandRule::floating,
     .text = "sqrt(x^2 + y^2) without overflow",
     .derivative = {"where(equal(r, 0), 0, x / r)", "where(equal(r, 0), 0, y / r)"}, .accuracy = {0.9, 0.9}, .operations = 25},
    {.fn = Fn::isfinite, .name = "isfinite", .arity = 1, .operands = OperandRule::numeric, .gives_boolean = true,
     .text = "x is neither infinite nor NaN"},
    {.fn = Fn::isinf, .name = "isinf", .arity = 1, .operands = OperandRule::numeric, .gives_boolean = true,
     .text = "x is infinite"},
    {.fn = Fn::isnan, .name = "isnan", .arity = 1, .operands = OperandRule::numeric, .gives_boolean = true,
     .text = "x is NaN"},
    {.fn = Fn::less, .name = "less", .arity = 2, .operands = OperandRule::any, .gives_boolean = true,
     .text = "x < y; false on NaN"},
    {.fn = Fn::less_equal, .name = "less_equal", .arity = 2, .operands = OperandRule::any, .gives_boolean = true,
     .text = "x <= y; false on NaN"},
    {.fn = Fn::lgamma, .name = "lgamma", .arity = 1, .operands = OperandRule::floating,
     .text = "log(|gamma(x)|); infinite at 0, -1, -2, ...; f64, and f32 below 0, by a library function",
     .accuracy = {0.6, 6}, .operations = 200, .branches = true, .calls_library = true},
    {.fn = Fn::log, .name = "log", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "natural logarithm",
     .derivative = {"1 / x"}, .accuracy = {0.9, 0.9}},
    {.fn = Fn::log10, .name = "log10", .arity = 1, .flops = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "logarithm to base 10",
     .derivative = {"0.43429448190325182 / x"}, .accuracy = {0.9, 1}},
    {.fn = Fn::log1p, .name = "log1p", .arity = 1, .operands = OperandRule::floating,
     .text = "log(1 + x)",
     .derivative = {"1 / (1 + x)"}, .accuracy = {1.5, 1.5}},
    {.fn = Fn::log2, .name = "log2", .arity = 1, .flops = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "logarithm to base 2",
     .derivative = {"1.4426950408889634 / x"}, .accuracy = {0.9, 0.9}},
    {.fn = Fn::logaddexp, .name = "logaddexp", .arity = 2, .operands = OperandRule::floating,
     .text = "log(e^x + e^y); error in units of max(|x|, |y|, 1)",
     .derivative = {"where(isinf(r), where(equal(x, r), where(equal(y, r), 0.5, 1) * maximum(sign(r), 0), 0), exp(x - r))",
                    "where(isinf(r), where(equal(y, r), where(equal(x, r), 0.5, 1) * maximum(sign(r), 0), 0), exp(y - r))"}, .accuracy = {1.5, 1.5},
     .identity = Identity::lowest},
    {.fn = Fn::logical_and, .name = "logical_and", .arity = 2, .flops = 1, .operands = OperandRule::boolean,
     .text = "x and y",
     .identity = Identity::one},
    {.fn = Fn::logical_not, .name = "logical_not", .arity = 1, .flops = 1, .operands = OperandRule::boolean,
     .text = "not x"},
    {.fn = Fn::logical_or, .name = "logical_or", .arity = 2, .flops = 1, .operands = OperandRule::boolean,
     .text = "x or y",
     .identity = Identity::zero},
    {.fn = Fn::logical_xor, .name = "logical_xor", .arity = 2, .flops = 1, .operands = OperandRule::boolean,
     .text = "x differs from y",
     .identity = Identity::zero},
    {.fn = Fn::maximum, .name = "maximum", .arity = 2, .flops = 1, .operands = OperandRule::numeric,
     .text = "the greater; NaN if either is, +0 above -0",
     .derivative = {"where(equal(x, y), 0.5, where(greater(x, y), 1, 0))", "where(equal(x, y), 0.5, where(less(x, y), 1, 0))"},
     .identity = Identity::lowest},
    {.fn = Fn::minimum, .name = "minimum", .arity = 2, .flops = 1, .operands = OperandRule::numeric,
     .text = "the lesser; NaN if either is, -0 below +0",
     .derivative = {"where(equal(x, y), 0.5, where(less(x, y), 1, 0))", "where(equal(x, y), 0.5, where(greater(x, y), 1, 0))"},
     .identity = Identity::highest},
    {.fn = Fn::multiply, .name = "multiply", .arity = 2, .flops = 1, .operands = OperandRule::numeric,
     .text = "x y",
     .derivative = {"y", "x"}, .accuracy = {0.5, 0.5}, .identity = Identity::one},
    {.fn = Fn::negative, .name = "negative", .arity = 1, .flops = 1, .operands = OperandRule::numeric,
     .text = "-x",
     .derivative = {"-1"}},
    {.fn = Fn::not_equal, .name = "not_equal", .arity = 2, .operands = OperandRule::any, .gives_boolean = true,
     .text = "x differs from y; true on NaN"},
    {.fn = Fn::pow, .name = "pow", .arity = 2, .operands = OperandRule::numeric,
     .text = "x^y; integers wrap, y < 0 rounds toward zero (0 for x = 0), 0^0 = 1; for a number y of 1, 2, 3, -1, 0.5, -0.5 by products, roots, divisions",
     .derivative = {"scale_either(y, pow(x, y - 1))", "where(equal(x, 0), 0, r * log(x))"},
     .accuracy = {0.9, 0.8}, .operations = 110, .branches = true},
    {.fn = Fn::reciprocal, .name = "reciprocal", .arity = 1, .flops = 1, .operands = OperandRule::floating,
     .text = "1 / x",
     .derivative = {"-(r * r)"}, .accuracy = {0.5, 0.5}},
    {.fn = Fn::remainder, .name = "remainder", .arity = 2, .flops = 2, .operands = OperandRule::numeric,
     .text = "x - y floor(x / y), of y's sign; integers: 0 for y = 0; floats: NaN for y = 0",
     .derivative = {"1", "-floor(x / y)"}, .accuracy = {0.5, 0.5}, .operations = 25, .branches = true},
    {.fn = Fn::round, .name = "round", .arity = 1, .flops = 1, .operands = OperandRule::numeric,
     .text = "nearest integral value, halves to even",
     .derivative = {"0"}},
    {.fn = Fn::rsqrt, .name = "rsqrt", .arity = 1, .operands = OperandRule::floating,
     .text = "1 / sqrt(x)",
     .derivative = {"-0.5 * r / x"}, .accuracy = {1.5, 1.5}},
    {.fn = Fn::scale, .name = "scale", .arity = 2, .flops = 1, .operands = OperandRule::floating,
     .text = "x y, but +0 where x is 0 and y infinite or NaN: a linear function of x, as derivatives are",
     .derivative = {"y", "x"}, .accuracy = {0.5, 0.5}},
    {.fn = Fn::scale_either, .name = "scale_either", .arity = 2, .flops = 1, .operands = OperandRule::floating,
     .text = "x y, but +0 where one is 0 and the other infinite or NaN: how `scale` changes with its y",
     .derivative = {"y", "x"}, .accuracy = {0.5, 0.5}},
    {.fn = Fn::sign, .name = "sign", .arity = 1, .operands = OperandRule::numeric,
     .text = "-1, 0 or 1; NaN for NaN, +0 for both zeros",
     .derivative = {"0"}},
    {.fn = Fn::signbit, .name = "signbit", .arity = 1, .operands = OperandRule::floating, .gives_boolean = true,
     .text = "the sign bit, of zeros too; false for NaN"},
    {.fn = Fn::sin, .name = "sin", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "sine of x radians; for |x| > 2^17 (f32), 2^27 (f64) by a library function",
     .derivative = {"cos(x)"}, .accuracy = {0.9, 0.9}, .operations = 40, .branches = true},
    {.fn = Fn::sinh, .name = "sinh", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "hyperbolic sine",
     .derivative = {"cosh(x)"}, .accuracy = {0.9, 1.3}, .operations = 40},
    {.fn = Fn::sqrt, .name = "sqrt", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "square root",
     .derivative = {"0.5 / r"}, .accuracy = {0.5, 0.5}},
    {.fn = Fn::square, .name = "square", .arity = 1, .flops = 2, .operands = OperandRule::numeric,
     .text = "x x",
     .derivative = {"2 * x"}, .accuracy = {0.5, 0.5}},
    {.fn = Fn::subtract, .name = "subtract", .arity = 2, .flops = 1, .operands = OperandRule::numeric,
     .text = "x - y",
     .derivative = {"1", "-1"}, .accuracy = {0.5, 0.5}},
    {.fn = Fn::tan, .name = "tan", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "tangent of x radians; for |x| > 2^17 (f32), 2^27 (f64) by a library function",
     .derivative = {"1 + r * r"}, .accuracy = {1, 1.1}, .operations = 50, .branches = true},
    {.fn = Fn::tanh, .name = "tanh", .arity = 1, .transcendentals = 1, .operands = OperandRule::floating,
     .text = "hyperbolic tangent",
     .derivative = {"1 - r * r"}, .accuracy = {1.8, 2}, .operations = 30},
    {.fn = Fn::trunc, .name = "trunc", .arity = 1, .flops = 2, .operands = OperandRule::numeric,
     .text = "x rounded toward zero",
     .derivative = {"0"}},
    {.fn = Fn::where, .name = "where", .arity = 3, .operands = OperandRule::any,
     .text = "x ? y : z",
     .derivative = {"", "where(x, 1, 0)", "where(x, 0, 1)"}},
    // clang-format on
};
inline constexpr int kFnCount = std::size(kElementwiseRows);
static_assert([] {
  for (int number = 0; number < kFnCount; ++number)
    if (kElementwiseRows[number].fn != static_cast<Fn>(number))
      return false;
  return kElementwiseRows[kFnCount - 1].fn == Fn::where;
}());

constexpr const ElementwiseRow& elementwise_row(Fn fn) {
  return kElementwiseRows[static_cast<int>(fn)];
}

/// The function of that name.
constexpr std::optional<Fn> parse_fn(std::string_view name) {
  for (const ElementwiseRow& row : kElementwiseRows)
    if (row.name == name)
      return row.fn;
  return std::nullopt;
}

constexpr bool accepts(OperandRule rule, DType dtype) {
  switch (rule) {
  case OperandRule::any:
    return true;
  case OperandRule::numeric:
    return dtype != DType::boolean;
  case OperandRule::integer:
    return is_integer(dtype);
  case OperandRule::integer_or_boolean:
    return !is_float(dtype);
  case OperandRule::floating:
    return is_float(dtype);
  default:
    return dtype == DType::boolean;
  }
}

/// Whether the function has a meaning on operands of that dtype.
constexpr bool accepts(Fn fn, DType dtype) { return accepts(elementwise_row(fn).operands, dtype); }

/// The result's dtype for operands of `dtype`.
constexpr DType result_dtype(Fn fn, DType dtype) {
  return elementwise_row(fn).gives_boolean ? DType::boolean : dtype;
}

/// Carries a function to a visitor: `[](auto tag) { constexpr Fn fn = tag.value; }`.
template <Fn fn> using FnTag = std::integral_constant<Fn, fn>;

/// Calls `f(FnTag<fn>{})`.
template <class F> decltype(auto) visit_fn(Fn fn, F&& f) {
  using Result = decltype(f(FnTag<Fn::abs>{}));
  using Entry = Result (*)(F&);
  constexpr auto entries = []<size_t... number>(std::index_sequence<number...>) {
    return std::array<Entry, kFnCount>{
        [](F& g) -> Result { return g(FnTag<static_cast<Fn>(number)>{}); }...};
  }(std::make_index_sequence<kFnCount>{});
  return entries[static_cast<size_t>(fn)](f);
}

} // namespace kolam
