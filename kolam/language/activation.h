/// Activation functions: composites of elementwise functions. f16 and bf16 compute in f32 and round
/// once; integers become f32.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/elementwise.h"

namespace kolam::language {

/// max(x, 0), in x's own dtype.
Value relu(Builder& b, Value x);
/// 1 / (1 + exp(-x))
Value sigmoid(Builder& b, Value x);
/// x / (1 + exp(-x))
Value silu(Builder& b, Value x);
/// x / 2 (1 + erf(x / sqrt(2)))
Value gelu(Builder& b, Value x);
/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
Value gelu_tanh(Builder& b, Value x);
/// log1p(exp(-|x|)) of x as f32 or f64, or with exp2. Its derivatives are those of what it is a
/// part of, which is smooth at 0.
Value log1p_of_decay(Builder& b, Value x, Fn exponential = Fn::exp);
/// x / (1 + exp(-gate)), both as f32 or f64.
Value gated(Builder& b, Value x, Value gate);
/// max(x, 0) + log1p(exp(-|x|))
Value softplus(Builder& b, Value x);
/// min(max(x, lower), upper) in x's dtype; a null bound is left out.
Value clip(Builder& b, Value x, Value lower, Value upper);
/// x / divisor with f16 and bf16 computed in f32: one rounding.
Value divide_by(Builder& b, Value x, double divisor);

} // namespace kolam::language
