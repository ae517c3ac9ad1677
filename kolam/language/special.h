/// Elementwise formulas that are no rows of the table: f16 and bf16 compute in f32 and round once;
/// integers become f32. Operands are promoted and broadcast.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// 0 where x is 0 and y no NaN, else x log(y).
Value xlogy(Builder& b, Value x, Value y);
/// The same of log1p(y).
Value xlog1py(Builder& b, Value x, Value y);
/// log2(2^x + 2^y) without overflow.
Value logaddexp2(Builder& b, Value x, Value y);
/// 0 where x < 0, `at_zero` where x = 0, 1 where x > 0, NaN where x is.
Value heaviside(Builder& b, Value x, Value at_zero);
/// sin(pi x) / (pi x), 1 at 0.
Value sinc(Builder& b, Value x);
/// x pi / 180 and x 180 / pi.
Value deg2rad(Builder& b, Value x);
Value rad2deg(Builder& b, Value x);
/// log(x / (1 - x))
Value logit(Builder& b, Value x);
/// The derivative of lgamma; computed in f64. Infinite at 0, of the sign of -x, and NaN at -1, -2,
/// ...
Value digamma(Builder& b, Value x);
/// How many bits of |x| are set, u8. Throws `[dtype-mismatch]` unless x holds integers.
Value bitwise_count(Builder& b, Value x);

} // namespace kolam::language
