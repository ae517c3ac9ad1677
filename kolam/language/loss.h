/// Losses: composites in f32 (f64 for f64) that round once. Operands are promoted and broadcast.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// What becomes of the losses of single elements. `batch_mean` is the sum by the leading extent.
enum class LossReduction : uint8_t { none, mean, sum, batch_mean };

/// `losses` reduced over all dims.
Value reduce_losses(Builder& b, Value losses, LossReduction reduction);

/// (x - y)^2
Value squared_difference(Builder& b, Value x, Value y);
/// |x - y|
Value absolute_difference(Builder& b, Value x, Value y);
/// d^2 / 2 where d = |x - y| <= delta, else delta (d - delta / 2).
Value huber(Builder& b, Value x, Value y, double delta);
/// d^2 / (2 beta) where d = |x - y| < beta, else d - beta / 2.
Value smooth_l1(Builder& b, Value x, Value y, double beta);
/// -y max(log(p), -100) - (1 - y) max(log(1 - p), -100)
Value binary_cross_entropy(Builder& b, Value p, Value y);
/// The same of p = sigmoid(x) without overflow, the first term `weight` (may be null) times.
Value binary_cross_entropy_with_logits(Builder& b, Value x, Value y, Value weight);
/// -x[labels] along `axis`; NaN for a label that is not there. Throws `[shape-mismatch]` and
/// `[dtype-mismatch]`.
Value negative_log_likelihood(Builder& b, Value x, Value labels, int64_t axis);
/// y (log(y) - x), 0 where y is 0; exp(y) (y - x) where `is_log`.
Value kl_divergence(Builder& b, Value x, Value y, bool is_log);
/// max(0, 1 - x y)
Value hinge(Builder& b, Value x, Value y);

/// sum(x y) / max(|x| |y|, epsilon) along `axis`.
Value cosine_similarity(Builder& b, Value x, Value y, int64_t axis, double epsilon);

} // namespace kolam::language
