/// The exact remainder of truncated division in f32 and f64.
#pragma once

#include "kolam/support/scalar/builder.h"

#include <limits>

namespace kolam::scalar {

/// x - y trunc(x / y), of x's sign, exact: the quotient is an integer or one more, and what a fused
/// product leaves has no more bits than y. Quotients of more bits than x has: f32 takes the leading
/// ones off in f64, 53 at a time; f64 calls a library function, behind a branch.
template <DType dtype, class B, class V> V fmod(B& b, V x, V y) {
  const V height = b.abs(x), width = b.abs(y), zero = b.constant_like(x, 0);
  const auto rest_of = [&](auto p, auto q) {
    const auto rest = b.fma(b.neg(b.trunc(b.div(p, q))), q, p);
    return b.select(b.flt(rest, b.constant_like(p, 0)), b.add(rest, q), rest);
  };
  const V rest = rest_of(height, width);
  constexpr double many = dtype == DType::f32 ? 0x1p23 : 0x1p52;
  const V most = b.mul(width, b.constant_like(x, many));
  const auto is_long =
      b.and_(b.fgt(height, most),
             b.flt(height, b.constant_like(x, std::numeric_limits<double>::infinity())));
  V result = rest;
  if constexpr (dtype == DType::f32)
    result = b.rarely(
        b.and_(is_long, b.fgt(width, zero)),
        [&] {
          auto p = b.widen(height);
          const auto q = b.widen(width);
          for (int step = 0; step < 5; ++step) // of 277 bits of x / y at most
            p = b.fma(b.neg(b.round_even(b.div(p, q))), q, p);
          return b.narrow(rest_of(p, q));
        },
        rest);
  else
    result = b.rarely(is_long, [&] { return b.call(Libcall::fmod, height, width); }, rest);
  return b.copysign(b.select(b.flt(height, width), height, result), x);
}

} // namespace kolam::scalar
