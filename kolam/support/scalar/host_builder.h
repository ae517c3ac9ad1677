/// The builder whose values are C++ values: float, double, unsigned integers, bool.
#pragma once

#include "kolam/support/scalar/builder.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace kolam::scalar {

template <class T>
concept HostFloat = std::same_as<T, float> || std::same_as<T, double>;
/// Integers carry no sign in scalar code, so on the host they are unsigned.
template <class T>
concept HostInteger = std::unsigned_integral<T> && !std::same_as<T, bool>;

template <int width>
using HostBits = std::conditional_t<
    width == 8, uint8_t,
    std::conditional_t<width == 16, uint16_t, std::conditional_t<width == 32, uint32_t, uint64_t>>>;
template <int width> using HostFloatOf = std::conditional_t<width == 32, float, double>;

/// Runs scalar code on C++ values; see ScalarBuilder for what each operation means.
struct HostBuilder {
  template <HostFloat F> F add(F x, F y) { return x + y; }
  template <HostFloat F> F sub(F x, F y) { return x - y; }
  template <HostFloat F> F mul(F x, F y) { return x * y; }
  template <HostFloat F> F div(F x, F y) { return x / y; }
  template <HostFloat F> F fma(F x, F y, F z) { return std::fma(x, y, z); }
  template <HostFloat F> F neg(F x) { return -x; }
  template <HostFloat F> F abs(F x) { return std::fabs(x); }
  template <HostFloat F> F sqrt(F x) { return std::sqrt(x); }
  template <HostFloat F> F floor(F x) { return std::floor(x); }
  template <HostFloat F> F ceil(F x) { return std::ceil(x); }
  template <HostFloat F> F trunc(F x) { return std::trunc(x); }
  template <HostFloat F> F round_even(F x) { return std::nearbyint(x); }
  template <HostFloat F> F copysign(F x, F y) { return std::copysign(x, y); }
  template <HostFloat F> F minimum(F x, F y) {
    const F of_ordered = x < y ? x : y < x ? y : std::signbit(x) ? x : y;
    return x != x ? x : y != y ? y : of_ordered;
  }
  template <HostFloat F> F maximum(F x, F y) {
    const F of_ordered = x > y ? x : y > x ? y : std::signbit(x) ? y : x;
    return x != x ? x : y != y ? y : of_ordered;
  }

  template <HostFloat F> bool flt(F x, F y) { return x < y; }
  template <HostFloat F> bool fle(F x, F y) { return x <= y; }
  template <HostFloat F> bool fgt(F x, F y) { return x > y; }
  template <HostFloat F> bool fge(F x, F y) { return x >= y; }
  template <HostFloat F> bool feq(F x, F y) { return x == y; }
  template <HostFloat F> bool fne(F x, F y) { return x != y; }

  // C++ promotes narrow operands to int, which may overflow: compute in 64 bits, then wrap.
  template <HostInteger I> I iadd(I x, I y) { return I(uint64_t{x} + uint64_t{y}); }
  template <HostInteger I> I isub(I x, I y) { return I(uint64_t{x} - uint64_t{y}); }
  template <HostInteger I> I imul(I x, I y) { return I(uint64_t{x} * uint64_t{y}); }
  template <HostInteger I> I sdiv(I x, I y) { return I(as_signed(x) / as_signed(y)); }
  template <HostInteger I> I srem(I x, I y) { return I(as_signed(x) % as_signed(y)); }
  template <HostInteger I> I udiv(I x, I y) { return I(x / y); }
  template <HostInteger I> I urem(I x, I y) { return I(x % y); }
  template <HostInteger I> I and_(I x, I y) { return I(x & y); }
  template <HostInteger I> I or_(I x, I y) { return I(x | y); }
  template <HostInteger I> I xor_(I x, I y) { return I(x ^ y); }
  template <HostInteger I> I shl(I x, I amount) { return I(uint64_t{x} << amount); }
  template <HostInteger I> I lshr(I x, I amount) { return I(x >> amount); }
  template <HostInteger I> I ashr(I x, I amount) { return I(as_signed(x) >> amount); }

  bool and_(bool x, bool y) { return x & y; }
  bool or_(bool x, bool y) { return x | y; }
  bool xor_(bool x, bool y) { return x != y; }
  bool not_(bool x) { return !x; }

  template <HostInteger I> bool ieq(I x, I y) { return x == y; }
  template <HostInteger I> bool ine(I x, I y) { return x != y; }
  template <HostInteger I> bool slt(I x, I y) { return as_signed(x) < as_signed(y); }
  template <HostInteger I> bool sle(I x, I y) { return as_signed(x) <= as_signed(y); }
  template <HostInteger I> bool sgt(I x, I y) { return as_signed(x) > as_signed(y); }
  template <HostInteger I> bool sge(I x, I y) { return as_signed(x) >= as_signed(y); }
  template <HostInteger I> bool ult(I x, I y) { return x < y; }
  template <HostInteger I> bool ule(I x, I y) { return x <= y; }
  template <HostInteger I> bool ugt(I x, I y) { return x > y; }
  template <HostInteger I> bool uge(I x, I y) { return x >= y; }

  template <class T> T select(bool condition, T x, T y) { return condition ? x : y; }

  template <HostFloat F> F constant_like(F, double value) { return F(value); }
  template <HostInteger I> I int_constant_like(I, int64_t value) { return I(value); }

  uint16_t bits(Float16 x) { return x.bits; }
  uint16_t bits(BFloat16 x) { return x.bits; }
  uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
  uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }
  template <DType dtype, HostInteger I> auto from_bits(I x) {
    static_assert(sizeof(I) == byte_width(dtype));
    if constexpr (dtype == DType::f16)
      return Float16{x};
    else if constexpr (dtype == DType::bf16)
      return BFloat16{x};
    else
      return std::bit_cast<HostFloatOf<8 * sizeof(I)>>(x);
  }

  template <int width, HostInteger I> HostBits<width> wrap(I x) { return HostBits<width>(x); }
  template <int width, std::unsigned_integral I> HostBits<width> zext(I x) {
    return HostBits<width>(x);
  }
  template <int width, HostInteger I> HostBits<width> sext(I x) {
    return HostBits<width>(as_signed(x));
  }

  template <int width, HostFloat F> HostBits<width> float_to_sint(F x) {
    return HostBits<width>(static_cast<std::make_signed_t<HostBits<width>>>(x));
  }
  template <int width, HostInteger I> HostFloatOf<width> sint_to_float(I x) {
    return static_cast<HostFloatOf<width>>(as_signed(x));
  }
  template <int width, HostInteger I> HostFloatOf<width> uint_to_float(I x) {
    return static_cast<HostFloatOf<width>>(x);
  }
  double widen(float x) { return x; }
  float narrow(double x) { return static_cast<float>(x); }

  template <HostFloat F> F call(Libcall function, F x) { return call_libcall(function, x); }
  template <HostFloat F> F call(Libcall function, F x, F y) { return call_libcall(function, x, y); }
  template <HostFloat F> F call_where(bool condition, Libcall function, F x, F otherwise) {
    return condition ? call_libcall(function, x) : otherwise;
  }
  template <class F, HostFloat V> V rarely(bool condition, const F& f, V otherwise) {
    return condition ? f() : otherwise;
  }

private:
  template <HostInteger I> static std::make_signed_t<I> as_signed(I x) {
    return static_cast<std::make_signed_t<I>>(x);
  }
};

static_assert(ScalarBuilder<HostBuilder, float, uint32_t, bool>);
static_assert(ScalarBuilder<HostBuilder, double, uint64_t, bool>);

} // namespace kolam::scalar
