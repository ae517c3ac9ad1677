/// Polynomials and the few float idioms that the elementary functions share.
#pragma once

#include "kolam/support/scalar/builder.h"

#include <array>
#include <cstddef>

namespace kolam::scalar {

/// c[0] + c[1] x + ... + c[n] x^n by fused multiply-adds, highest first.
template <class B, class V, size_t size>
V horner(B& b, V x, const std::array<double, size>& coefficients) {
  V sum = b.constant_like(x, coefficients[size - 1]);
  for (size_t i = size - 1; i-- > 0;)
    sum = b.fma(sum, x, b.constant_like(x, coefficients[i]));
  return sum;
}

/// The coefficients from `first` on, or every second one of them.
template <size_t first, size_t step, size_t size>
constexpr auto coefficients_from(const std::array<double, size>& coefficients) {
  std::array<double, (size - first + step - 1) / step> result{};
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = coefficients[first + i * step];
  return result;
}

/// The same as the sum of its even and its odd part, which do not wait for each other.
template <class B, class V, size_t size>
V even_and_odd(B& b, V x, V square, const std::array<double, size>& coefficients) {
  return b.fma(horner(b, square, coefficients_from<1, 2>(coefficients)), x,
               horner(b, square, coefficients_from<0, 2>(coefficients)));
}

/// The same; of a long one so what is behind the first terms, which decide how exact it is.
template <class B, class V, size_t size>
V polynomial(B& b, V x, const std::array<double, size>& coefficients) {
  constexpr size_t first = 3, least = first + 6; // of shorter ones both gain nothing
  if constexpr (size < least)
    return horner(b, x, coefficients);
  else {
    V sum = even_and_odd(b, x, b.mul(x, x), coefficients_from<first, 1>(coefficients));
    for (size_t i = first; i-- > 0;)
      sum = b.fma(sum, x, b.constant_like(x, coefficients[i]));
    return sum;
  }
}

/// 1.5 * 2^mantissa_bits: adding it rounds |x| < 2^(mantissa_bits-2) to an integer that sits in the
/// low bits.
template <DType dtype>
inline constexpr double kRoundingShift = dtype == DType::f32 ? 12582912.0 : 6755399441055744.0;

/// 2^k for an integer k inside the exponent range of normal numbers.
template <DType dtype, class B, class I> auto power_of_two(B& b, I k) {
  using Layout = FloatLayout<dtype>;
  return b.template from_bits<dtype>(b.shl(b.iadd(k, b.int_constant_like(k, Layout::bias)),
                                           b.int_constant_like(k, Layout::mantissa_bits)));
}

template <class V, class I> struct RoundedQuotient {
  V quotient; ///< an integral float
  I integer;  ///< the same as an integer; meaningless for NaN
};

/// round(x * factor) for |x * factor| < 2^(mantissa_bits-2), without a conversion instruction.
template <DType dtype, class B, class V> auto round_product(B& b, V x, double factor) {
  const V shift = b.constant_like(x, kRoundingShift<dtype>);
  const V shifted = b.fma(x, b.constant_like(x, factor), shift);
  auto integer = b.isub(b.bits(shifted), b.bits(shift));
  return RoundedQuotient<V, decltype(integer)>{b.sub(shifted, shift), integer};
}

/// An integer of small magnitude as a float of its width; vectorises on every target.
template <DType dtype, class B, class I> auto small_int_to_float(B& b, I i) {
  const auto shift = b.template from_bits<dtype>(
      b.int_constant_like(i, dtype == DType::f32 ? 0x4b400000 : 0x4338000000000000));
  return b.sub(b.template from_bits<dtype>(b.iadd(i, b.bits(shift))), shift);
}

} // namespace kolam::scalar
