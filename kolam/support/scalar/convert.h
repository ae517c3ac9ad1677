/// Conversions between all dtypes: rounded once to nearest even, saturating toward integers, total.
#pragma once

#include "kolam/support/scalar/integer.h"
#include "kolam/support/scalar/polynomial.h"

#include <cmath>
#include <limits>

namespace kolam::scalar {

/// Whether a builder has an instruction between f16 and f32: `b.widen_half(x)`, `b.narrow_half(x)`.
template <class B> bool converts_halves(const B& b) {
  if constexpr (requires { b.has_halves(); })
    return b.has_halves();
  else
    return false;
}

/// The f32 value of a bf16 or f16 (exact, denormals too; a NaN keeps sign and payload).
template <DType dtype, class B, class V> auto widen_narrow_float(B& b, V x) {
  static_assert(is_narrow_float(dtype));
  if constexpr (dtype == DType::f16 && requires { b.widen_half(x); })
    if (converts_halves(b))
      return b.widen_half(x);
  const auto bits = b.template zext<32>(b.bits(x));
  const auto constant = [&](int64_t value) { return b.int_constant_like(bits, value); };
  if constexpr (dtype == DType::bf16) {
    return b.template from_bits<DType::f32>(b.shl(bits, constant(16)));
  } else {
    const auto magnitude = b.shl(b.and_(bits, constant(0x7fff)), constant(13));
    const auto sign = b.shl(b.and_(bits, constant(0x8000)), constant(16));
    // The exponent moves from bias 15 to 127; once more for inf and NaN; a denormal is an integer
    // times 2^-24.
    const auto moved = b.iadd(magnitude, constant(112 << 23));
    const auto is_special = b.uge(magnitude, constant(31 << 23));
    const auto special = b.iadd(moved, constant(112 << 23));
    const auto half = b.template from_bits<DType::f32>(constant(0x38800000)); // 2^-14
    const auto one_more = b.template from_bits<DType::f32>(b.iadd(moved, constant(1 << 23)));
    const auto denormal = b.bits(b.sub(one_more, half));
    const auto is_denormal = b.ult(magnitude, constant(1 << 23));
    const auto value = b.select(is_denormal, denormal, b.select(is_special, special, moved));
    return b.template from_bits<DType::f32>(b.or_(value, sign));
  }
}

/// An f32 or f64 `x` rounded once to bf16 or f16. Overflow gives infinity; a NaN becomes quiet and
/// keeps its sign and the high bits of its payload.
template <DType from, DType to, class B, class V> auto round_to_narrow_float(B& b, V x) {
  using From = FloatLayout<from>;
  using To = FloatLayout<to>;
  constexpr int dropped = From::mantissa_bits - To::mantissa_bits;
  constexpr int64_t one = 1;
  constexpr int64_t sign_mask = one << (From::width - 1);
  constexpr int64_t exponent_change = int64_t{From::bias - To::bias} << From::mantissa_bits;
  constexpr int64_t to_infinity = ((one << (To::width - 1 - To::mantissa_bits)) - 1)
                                  << To::mantissa_bits;
  constexpr int64_t from_infinity = ((one << (From::width - 1 - From::mantissa_bits)) - 1)
                                    << From::mantissa_bits;

  if constexpr (from == DType::f32 && to == DType::f16 && requires { b.narrow_half(x); })
    if (converts_halves(b))
      return b.narrow_half(x);
  const auto bits = b.bits(x);
  const auto constant = [&](int64_t value) { return b.int_constant_like(bits, value); };
  if constexpr (exponent_change == 0) { // bf16 from f32: the sum carries into the exponent
    const auto last = b.and_(b.lshr(bits, constant(dropped)), constant(1));
    const auto sum = b.iadd(bits, b.iadd(last, constant((one << (dropped - 1)) - 1)));
    const auto quiet = b.or_(bits, constant(one << (From::mantissa_bits - 1)));
    const auto kept = b.lshr(b.select(b.fne(x, x), quiet, sum), constant(dropped));
    return b.template from_bits<to>(b.template wrap<To::width>(kept));
  } else {
    const auto magnitude = b.and_(bits, constant(~sign_mask));
    const auto sign = b.lshr(b.and_(bits, constant(sign_mask)), constant(From::width - To::width));

    // Normal results: add just under half, plus the lowest kept bit for ties to even; a carry moves
    // the exponent.
    const auto rebased = b.isub(magnitude, constant(exponent_change));
    const auto lowest_kept = b.and_(b.lshr(rebased, constant(dropped)), constant(1));
    const auto half = b.iadd(constant((one << (dropped - 1)) - 1), lowest_kept);
    const auto rounded = b.lshr(b.iadd(rebased, half), constant(dropped));
    const auto overflows = b.ugt(rounded, constant(to_infinity));
    auto value = b.select(overflows, constant(to_infinity), rounded);

    // Results below the smallest normal: adding a power of two lets the float adder round at the
    // denormals' last bit. That power's last bit is 2^(1 - bias - mantissa_bits), the smallest
    // denormal.
    {
      constexpr int64_t smallest_normal = int64_t{From::bias - To::bias + 1} << From::mantissa_bits;
      constexpr int64_t shift_bits = smallest_normal + (int64_t{dropped} << From::mantissa_bits);
      const auto shift = b.template from_bits<from>(constant(shift_bits));
      const auto sum = b.add(b.template from_bits<from>(magnitude), shift);
      const auto denormal = b.isub(b.bits(sum), constant(shift_bits));
      value = b.select(b.ult(magnitude, constant(smallest_normal)), denormal, value);
    }

    const auto payload =
        b.and_(b.lshr(magnitude, constant(dropped)), constant((one << To::mantissa_bits) - 1));
    const auto quiet = constant(to_infinity | (one << (To::mantissa_bits - 1)));
    const auto is_nan = b.ugt(magnitude, constant(from_infinity));
    value = b.select(is_nan, b.or_(payload, quiet), value);
    return b.template from_bits<to>(b.template wrap<To::width>(b.or_(value, sign)));
  }
}

/// Any float dtype to any other.
template <DType from, DType to, class B, class V> auto float_to_float(B& b, V x) {
  if constexpr (from == to)
    return x;
  else if constexpr (is_narrow_float(from))
    return float_to_float<DType::f32, to>(b, widen_narrow_float<from>(b, x));
  else if constexpr (is_narrow_float(to))
    return round_to_narrow_float<from, to>(b, x);
  else if constexpr (to == DType::f64)
    return b.widen(x);
  else
    return b.narrow(x);
}

/// A float in the range of an integer of 32 or 64 bits, toward zero. Vectors have signed
/// conversions of as many bits only, so unsigned ones split off their highest bit.
template <int width, bool is_signed, class B, class V> auto float_in_range(B& b, V x) {
  if constexpr (is_signed) {
    return b.template float_to_sint<width>(x);
  } else {
    const V middle = b.constant_like(x, std::ldexp(1.0, width - 1));
    const auto is_high = b.fge(x, middle);
    const auto low = b.template float_to_sint<width>(b.select(is_high, b.sub(x, middle), x));
    const auto top_bit =
        b.int_constant_like(low, static_cast<int64_t>(~uint64_t{0} << (width - 1)));
    return b.select(is_high, b.xor_(low, top_bit), low);
  }
}

/// An f32 or f64 to an integer: toward zero, saturating, 0 for NaN.
template <DType from, DType to, class B, class V> auto float_to_integer(B& b, V x) {
  constexpr int width = kWidth<to>;
  constexpr bool is_signed = is_signed_integer(to);
  constexpr bool has_ends = width < 32 || (from == DType::f64 && width == 32);
  const double end = std::ldexp(1.0, is_signed ? width - 1 : width);
  const V zero = b.constant_like(x, 0);
  if constexpr (has_ends) { // both ends are floats
    const V low = b.constant_like(x, is_signed ? -end : 0), high = b.constant_like(x, end - 1);
    const V number = is_signed ? b.select(b.fne(x, x), zero, x) : x; // a NaN is not above 0 either
    const V lifted = b.select(b.fgt(number, low), number, low);
    const V within = b.select(b.flt(lifted, high), lifted, high);
    return b.template wrap<width>(float_in_range < 32, is_signed || width<32>(b, within));
  } else {
    const auto too_high = b.fge(x, b.constant_like(x, end));
    const auto too_low = b.fle(x, b.constant_like(x, is_signed ? -end : 0));
    const auto outside = b.or_(b.or_(too_high, too_low), b.fne(x, x));
    const auto integer = float_in_range<width, is_signed>(b, b.select(outside, zero, x));
    constexpr uint64_t all = ~uint64_t{0} >> (64 - width);
    const auto highest =
        b.int_constant_like(integer, static_cast<int64_t>(is_signed ? all >> 1 : all));
    const auto lowest =
        b.int_constant_like(integer, is_signed ? static_cast<int64_t>(~(all >> 1)) : 0);
    return b.select(too_high, highest, b.select(too_low, lowest, integer));
  }
}

/// An integer as f32 or f64, rounded once.
template <DType from, DType to, class B, class V> auto integer_to_wide_float(B& b, V x) {
  if constexpr (is_signed_integer(from))
    return b.template sint_to_float<kWidth<to>>(x);
  else
    return b.template uint_to_float<kWidth<to>>(x);
}

/// A 64-bit integer with its bits below the 53rd folded into one sticky bit: f64 holds it exactly,
/// and rounding from there to a narrow float is rounding from the integer.
template <DType from, class B, class V> V fold_low_bits(B& b, V x) {
  const V low_mask = b.int_constant_like(x, 0x7ff);
  const V low = b.and_(x, low_mask);
  const V zero = b.int_constant_like(x, 0);
  const V sticky = b.select(b.ine(low, zero), b.int_constant_like(x, 0x800), zero);
  const V folded = b.or_(b.xor_(x, low), sticky);
  const V magnitude = integer_abs<from>(b, x);
  return b.select(b.uge(magnitude, b.int_constant_like(x, int64_t{1} << 53)), folded, x);
}

template <DType from, DType to, class B, class V> auto integer_to_float(B& b, V x) {
  if constexpr (!is_narrow_float(to)) {
    return integer_to_wide_float<from, to>(b, x);
  } else if constexpr (kWidth<from> == 64) {
    const auto wide = integer_to_wide_float<from, DType::f64>(b, fold_low_bits<from>(b, x));
    return round_to_narrow_float<DType::f64, to>(b, wide);
  } else if constexpr (kWidth<from> == 32) {
    return round_to_narrow_float<DType::f64, to>(b, integer_to_wide_float<from, DType::f64>(b, x));
  } else {
    return round_to_narrow_float<DType::f32, to>(b, integer_to_wide_float<from, DType::f32>(b, x));
  }
}

/// Converts between integers of any width: wraps, or extends by the source's sign.
template <DType from, DType to, class B, class V> auto integer_to_integer(B& b, V x) {
  if constexpr (kWidth<to> <= kWidth<from>)
    return b.template wrap<kWidth<to>>(x);
  else if constexpr (is_signed_integer(from))
    return b.template sext<kWidth<to>>(x);
  else
    return b.template zext<kWidth<to>>(x);
}

/// Converts a value of dtype `from` to dtype `to`; a bool is an i1 condition. To bool: x != 0 (NaN
/// is true). To integers: wraps from integers, saturates from floats, NaN gives 0. To floats:
/// rounded once.
template <DType from, DType to, class B, class V> auto cast(B& b, V x) {
  if constexpr (from == to)
    return x;
  else if constexpr (from == DType::boolean && is_float(to))
    return integer_to_float<DType::u8, to>(b, b.template zext<8>(x));
  else if constexpr (from == DType::boolean)
    return b.template zext<kWidth<to>>(x);
  else if constexpr (is_narrow_float(from) && !is_float(to))
    return cast<DType::f32, to>(b, widen_narrow_float<from>(b, x));
  else if constexpr (is_float(from) && to == DType::boolean)
    return b.fne(x, b.constant_like(x, 0));
  else if constexpr (to == DType::boolean)
    return b.ine(x, b.int_constant_like(x, 0));
  else if constexpr (is_float(from) && is_float(to))
    return float_to_float<from, to>(b, x);
  else if constexpr (is_float(from))
    return float_to_integer<from, to>(b, x);
  else if constexpr (is_float(to))
    return integer_to_float<from, to>(b, x);
  else
    return integer_to_integer<from, to>(b, x);
}

/// The bits of a float, every NaN as the positive quiet one: what a bitcast from float reads.
template <DType dtype, class B, class V> auto canonical_bits(B& b, V x) {
  using Layout = FloatLayout<dtype>;
  constexpr int exponent_bits = Layout::width - 1 - Layout::mantissa_bits;
  constexpr int64_t infinity = ((int64_t{1} << exponent_bits) - 1) << Layout::mantissa_bits;
  constexpr int64_t quiet_nan = infinity | (int64_t{1} << (Layout::mantissa_bits - 1));
  constexpr uint64_t magnitude_mask = ~uint64_t{0} >> (65 - Layout::width);
  const auto bits = b.bits(x);
  const auto magnitude =
      b.and_(bits, b.int_constant_like(bits, static_cast<int64_t>(magnitude_mask)));
  const auto is_nan = b.ugt(magnitude, b.int_constant_like(bits, infinity));
  return b.select(is_nan, b.int_constant_like(bits, quiet_nan), bits);
}

} // namespace kolam::scalar
