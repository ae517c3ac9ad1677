/// Sums and products with their errors: numbers as a sum of two, after T. J. Dekker, "A
/// floating-point technique for extending the available precision" (1971), with a fused product.
#pragma once

#include "kolam/support/scalar/builder.h"

namespace kolam::scalar {

/// high + low, |low| at most half a unit in high's last place where the functions here made it.
template <class V> struct Pair {
  V high, low;
};

/// x + y, exactly, for |x| >= |y| or x = 0.
template <class B, class V> Pair<V> fast_two_sum(B& b, V x, V y) {
  const V sum = b.add(x, y);
  return {sum, b.sub(y, b.sub(sum, x))};
}

/// x + y, exactly.
template <class B, class V> Pair<V> two_sum(B& b, V x, V y) {
  const V sum = b.add(x, y);
  const V of_y = b.sub(sum, x);
  return {sum, b.add(b.sub(x, b.sub(sum, of_y)), b.sub(y, of_y))};
}

/// x y, exactly where nothing is denormal.
template <class B, class V> Pair<V> two_product(B& b, V x, V y) {
  const V product = b.mul(x, y);
  return {product, b.fma(x, y, b.neg(product))};
}

/// (x.high + x.low) y, to twice the working precision.
template <class B, class V> Pair<V> product(B& b, Pair<V> x, V y) {
  const V high = b.mul(x.high, y);
  return {high, b.fma(x.low, y, b.fma(x.high, y, b.neg(high)))};
}

/// x y, to twice the working precision.
template <class B, class V> Pair<V> product(B& b, Pair<V> x, Pair<V> y) {
  const V high = b.mul(x.high, y.high);
  const V error = b.fma(x.high, y.high, b.neg(high));
  return {high, b.fma(x.high, y.low, b.fma(x.low, y.high, error))};
}

/// A rough 1 / sqrt(x), 3 % off: the bits of x are its logarithm, halved.
template <DType dtype, class B, class V> V rough_reciprocal_root(B& b, V x) {
  const auto bits = b.bits(x);
  constexpr int64_t start = dtype == DType::f32 ? 0x5f3759df : 0x5fe6eb50c7b537a9;
  return b.template from_bits<dtype>(
      b.isub(b.int_constant_like(bits, start), b.lshr(bits, b.int_constant_like(bits, 1))));
}

/// sqrt(square) - root, for a root that is rounded: to 5 bits, which is what is worth having.
template <DType dtype, class B, class V> V root_error(B& b, V root, Pair<V> square) {
  const V residual = b.add(b.fma(b.neg(root), root, square.high), square.low);
  const V half_inverse =
      b.mul(rough_reciprocal_root<dtype>(b, square.high), b.constant_like(root, 0.5));
  return b.mul(residual, half_inverse);
}

} // namespace kolam::scalar
