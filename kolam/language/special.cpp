// Composes elementwise formulas.
#include "kolam/language/special.h"

#include "kolam/language/activation.h"
#include "kolam/language/creation.h"
#include "kolam/language/formula.h"

#include <limits>
#include <numbers>

namespace kolam::language {
namespace {

/// x log(y), or 0 where x is 0 and y no NaN: there too the derivative to x is the log where that is
/// finite, else 0. `log` is Fn::log, or Fn::log1p.
Value times_log(Formula& f, Value x, Value y, Fn log) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  auto both = [&](Value left, Value right) { return f.apply(Fn::logical_and, left, right); };
  Value is_zero = f.apply(Fn::equal, x, 0.0);
  Value is_number = f.apply(Fn::logical_not, f.apply(Fn::isnan, y));
  Value is_inside =
      both(f.apply(Fn::greater, y, log == Fn::log ? 0.0 : -1.0), f.apply(Fn::less, y, kInfinity));
  Value product = f.apply(Fn::multiply, x, f.apply(log, y));
  Value vanished = f.choose(is_inside, f.add(0, product), f.number(0, x)); // 0 + -0 is 0
  return f.choose(both(is_zero, is_number), vanished, product);
}

/// c[0] + c[1] x + c[2] x^2 + ...
Value polynomial(Formula& f, Value x, std::initializer_list<double> coefficients) {
  Value sum;
  for (double coefficient : llvm::reverse(coefficients))
    sum = sum ? f.add(coefficient, f.apply(Fn::multiply, sum, x)) : f.number(coefficient, x);
  return sum;
}

/// digamma in [1, 2], (x - root) (0.9955... + p/q): right at its root, too. Source: Boost,
/// `digamma_imp_1_2`.
Value digamma_near_root(Formula& f, Value x) {
  Value from_root = x; // the root in three parts
  for (double part : {1569415565.0 / 0x1p30, 381566830.0 / 0x1p60, 0.90163120932586957e-19})
    from_root = f.apply(Fn::subtract, from_root, part);
  Value t = f.apply(Fn::subtract, x, 1.0);
  Value p = polynomial(f, t,
                       {0.25479851061131551, -0.32555031186804491, -0.65031853770896507,
                        -0.28919126444774784, -0.045251321448739056, -0.0020713321167745952});
  Value q = polynomial(f, t,
                       {1.0, 2.0767117023730469, 1.4606242909763515, 0.43593529692665969,
                        0.054151797245674225, 0.0021284987017821144, -0.55789841321675513e-6});
  Value factor = f.add(0.99558162689208984, f.apply(Fn::divide, p, q));
  return f.apply(Fn::multiply, from_root, factor);
}

/// digamma from 10 on: log(x) - 1 / 2x - sum of B_2k / 2k x^2k.
Value digamma_far(Formula& f, Value x) {
  Value inverse = f.apply(Fn::divide, 1.0, x), z = f.apply(Fn::multiply, inverse, inverse);
  Value series = polynomial(
      f, z, {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12});
  Value small = f.apply(Fn::add, f.multiply(0.5, inverse), f.apply(Fn::multiply, z, series));
  return f.apply(Fn::subtract, f.apply(Fn::log, x), small);
}

/// Of x >= 0, by digamma(x + 1) = digamma(x) + 1 / x.
Value digamma_above_zero(Formula& f, Value x) {
  constexpr int kFar = 10;
  Value is_low = f.apply(Fn::less, x, 1.0);
  Value sum = f.choose(is_low, f.apply(Fn::divide, -1.0, x), f.number(0, x));
  Value near = f.choose(is_low, f.add(1, x), x);
  for (int step = 2; step < kFar; ++step) {
    Value is_above = f.apply(Fn::greater, near, 2.0);
    Value below = f.apply(Fn::subtract, near, 1.0);
    Value more = f.apply(Fn::add, sum, f.apply(Fn::divide, 1.0, below));
    sum = f.choose(is_above, more, sum);
    near = f.choose(is_above, below, near);
  }
  near = f.apply(Fn::add, sum, digamma_near_root(f, near));
  return f.choose(f.apply(Fn::less, x, kFar), near, digamma_far(f, x));
}

} // namespace

Value xlogy(Builder& b, Value x, Value y) {
  return in_wide_floats(b, x, y,
                        [](Formula& f, Value x, Value y) { return times_log(f, x, y, Fn::log); });
}

Value xlog1py(Builder& b, Value x, Value y) {
  return in_wide_floats(b, x, y,
                        [](Formula& f, Value x, Value y) { return times_log(f, x, y, Fn::log1p); });
}

Value logaddexp2(Builder& b, Value x, Value y) {
  return in_wide_floats(b, x, y, [&](Formula& f, Value x, Value y) {
    Value distance = f.apply(Fn::subtract, x, y);
    Value excess = f.multiply(std::numbers::log2e, log1p_of_decay(b, distance, Fn::exp2));
    Value more = f.choose(f.apply(Fn::isnan, distance), 1.0, excess); // of equal infinities
    return f.apply(Fn::add, f.apply(Fn::maximum, x, y), more);
  });
}

Value heaviside(Builder& b, Value x, Value at_zero) {
  return in_wide_floats(b, x, at_zero, [](Formula& f, Value x, Value y) {
    Value step = f.choose(f.apply(Fn::greater, x, 0.0), 1.0, x);
    step = f.choose(f.apply(Fn::less, x, 0.0), 0.0, step);
    return f.choose(f.apply(Fn::equal, x, 0.0), y, step);
  });
}

Value sinc(Builder& b, Value x) {
  return in_wide_float(b, x, [](Formula& f, Value x) {
    Value angle = f.multiply(std::numbers::pi, x);
    // Near 0 the series, whose derivatives are right at 0 and do not cancel.
    Value z = f.apply(Fn::square, angle), is_near = f.apply(Fn::less, z, 1.0 / 16);
    Value far = f.choose(is_near, 1.0, angle); // so that no derivative divides by 0
    Value quotient = f.apply(Fn::divide, f.apply(Fn::sin, far), far);
    Value series = polynomial(
        f, z,
        {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800});
    return f.choose(is_near, series, quotient);
  });
}

Value deg2rad(Builder& b, Value x) {
  return in_wide_float(b, x,
                       [](Formula& f, Value x) { return f.multiply(std::numbers::pi / 180, x); });
}

Value rad2deg(Builder& b, Value x) {
  return in_wide_float(b, x,
                       [](Formula& f, Value x) { return f.multiply(180 / std::numbers::pi, x); });
}

Value logit(Builder& b, Value x) {
  return in_wide_float(b, x, [](Formula& f, Value x) {
    return f.apply(Fn::subtract, f.apply(Fn::log, x), f.apply(Fn::log1p, f.apply(Fn::negative, x)));
  });
}

Value digamma(Builder& b, Value x) {
  const DType dtype = float_dtype(ir::dtype_of(x));
  Formula f{b};
  x = cast(b, cast(b, x, dtype), DType::f64);
  Value is_negative = f.apply(Fn::less, x, 0.0);
  Value above = f.choose(is_negative, f.apply(Fn::subtract, 1.0, x), x);
  Value psi = digamma_above_zero(f, above);
  // digamma(x) = digamma(1 - x) - pi / tan(pi x)
  Value part = f.apply(Fn::subtract, x, f.apply(Fn::round, x));
  Value slope = f.apply(Fn::tan, f.multiply(std::numbers::pi, part));
  Value reflected = f.apply(Fn::subtract, psi, f.apply(Fn::divide, std::numbers::pi, slope));
  reflected =
      f.choose(f.apply(Fn::equal, part, 0.0), std::numeric_limits<double>::quiet_NaN(), reflected);
  Value result = f.choose(is_negative, reflected, psi);
  Value pole =
      f.apply(Fn::copysign, std::numeric_limits<double>::infinity(), f.apply(Fn::negative, x));
  return cast(b, f.choose(f.apply(Fn::equal, x, 0.0), pole, result), dtype);
}

Value bitwise_count(Builder& b, Value x) {
  DType dtype = ir::dtype_of(x);
  if (!is_integer(dtype))
    fail_argument(ErrorKind::type, "dtype-mismatch", "x", "integers", describe(x));
  LocationNote note(b, std::string(kWrapsOnPurpose));
  DType word = byte_width(dtype) == 1   ? DType::u8
               : byte_width(dtype) == 2 ? DType::u16
               : byte_width(dtype) == 4 ? DType::u32
                                        : DType::u64;
  x = cast(b, cast(b, elementwise(b, Fn::abs, {x}), word), DType::u64);
  auto masked = [&](Value value, uint64_t mask) {
    return elementwise(b, Fn::bitwise_and,
                       {value, integer_constant(b, static_cast<int64_t>(mask), DType::u64)});
  };
  auto shifted = [&](Value value, int64_t by) {
    return elementwise(b, Fn::bitwise_right_shift, {value, integer_constant(b, by, DType::u64)});
  };
  auto sum = [&](Value left, Value right) { return elementwise(b, Fn::add, {left, right}); };
  // Counts of 2, 4 and 8 bits side by side; the product adds the bytes up in the highest.
  x = elementwise(b, Fn::subtract, {x, masked(shifted(x, 1), 0x5555555555555555)});
  x = sum(masked(x, 0x3333333333333333), masked(shifted(x, 2), 0x3333333333333333));
  x = masked(sum(x, shifted(x, 4)), 0x0f0f0f0f0f0f0f0f);
  x = elementwise(b, Fn::multiply, {x, integer_constant(b, 0x0101010101010101, DType::u64)});
  return cast(b, shifted(x, 56), DType::u8);
}

} // namespace kolam::language
