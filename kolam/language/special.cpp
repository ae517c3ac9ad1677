// Composes elementwise formulas.
#include "kolam/language/special.h"

#include "kolam/language/creation.h"
#include "kolam/language/formula.h"

#include <numbers>

namespace kolam::language {
namespace {

/// `product`, or 0 where x is 0 and y no NaN.
Value unless_zero(Formula& f, Value x, Value y, Value product) {
  Value is_number = f.apply(Fn::logical_not, f.apply(Fn::isnan, y));
  Value vanishes = f.apply(Fn::logical_and, f.apply(Fn::equal, x, 0.0), is_number);
  return f.choose(vanishes, 0.0, product);
}

} // namespace

Value xlogy(Builder& b, Value x, Value y) {
  return in_wide_floats(b, x, y, [](Formula& f, Value x, Value y) {
    return unless_zero(f, x, y, f.apply(Fn::multiply, x, f.apply(Fn::log, y)));
  });
}

Value xlog1py(Builder& b, Value x, Value y) {
  return in_wide_floats(b, x, y, [](Formula& f, Value x, Value y) {
    return unless_zero(f, x, y, f.apply(Fn::multiply, x, f.apply(Fn::log1p, y)));
  });
}

Value logaddexp2(Builder& b, Value x, Value y) {
  return in_wide_floats(b, x, y, [](Formula& f, Value x, Value y) {
    Value distance = f.apply(Fn::abs, f.apply(Fn::subtract, x, y));
    Value decayed = f.apply(Fn::exp2, f.apply(Fn::negative, distance));
    Value excess = f.multiply(std::numbers::log2e, f.apply(Fn::log1p, decayed));
    // Equal operands leave out inf - inf.
    Value more = f.choose(f.apply(Fn::equal, x, y), 1.0, excess);
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
    Value quotient = f.apply(Fn::divide, f.apply(Fn::sin, angle), angle);
    return f.choose(f.apply(Fn::equal, x, 0.0), 1.0, quotient);
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
