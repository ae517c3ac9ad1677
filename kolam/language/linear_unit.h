/// Linear units and what is like them: composites of elementwise functions. f16 and bf16 compute in
/// f32 and round once; integers become f32.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// x where x > 0, else alpha (exp(x) - 1), times `scale`.
Value elu(Builder& b, Value x, double alpha, double scale = 1);
/// max(x, 0) + min(0, alpha (exp(x / alpha) - 1))
Value celu(Builder& b, Value x, double alpha);
/// x where x >= 0, else slope x.
Value leaky_relu(Builder& b, Value x, double slope);
/// The same with a slope for each channel, dim 1, or for all. Throws `[shape-mismatch]`.
Value prelu(Builder& b, Value x, Value weight);
/// min(max(x, lower), upper) in x's own dtype.
Value limited(Builder& b, Value x, double lower, double upper);
/// `clip` to numbers, as floats: at the bounds the derivative is 1, where that of `limited` is
/// half.
Value hard_tanh(Builder& b, Value x, double lower, double upper);
/// limited(x + 3, 0, 6) / 6
Value hard_sigmoid(Builder& b, Value x);
/// x hard_sigmoid(x)
Value hard_silu(Builder& b, Value x);
/// x tanh(softplus(x))
Value mish(Builder& b, Value x);
/// x / (1 + |x|)
Value soft_sign(Builder& b, Value x);
/// min(x, 0) - log1p(exp(-|x|))
Value log_sigmoid(Builder& b, Value x);
/// (x + sqrt(x^2 + width)) / 2
Value squareplus(Builder& b, Value x, double width);
/// x where x > threshold, else value.
Value threshold(Builder& b, Value x, double threshold, double value);
/// 0 where |x| <= width; beyond it x (hard) or x drawn by width toward 0 (soft).
Value hard_shrink(Builder& b, Value x, double width);
Value soft_shrink(Builder& b, Value x, double width);
/// x - tanh(x)
Value tanh_shrink(Builder& b, Value x);
/// The first half along `axis` times the sigmoid of the second. Throws `[uneven-split]`.
Value glu(Builder& b, Value x, int64_t axis);

} // namespace kolam::language
