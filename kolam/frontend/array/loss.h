/// Losses between outputs and targets, and the similarity of vectors.
///
/// They are computed in float32 for bfloat16 and float16 and rounded once; integers give float32.
/// Operands broadcast. `reduction` is "mean" or "sum" of the losses of all elements, or "none".
/// All throw `[unknown-mode]` for another, `[shape-mismatch]` and `[no-promotion]`.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <string_view>

namespace kolam {

/// (x - target)^2.
///
///     >>> import kolam as ko
///     >>> ko.mse_loss(ko.asarray([1.0, 2.0]), ko.asarray([1.0, 4.0])).item()
///     2.0
Tensor mse_loss(const Operand& x, const Operand& target, std::string_view reduction = "mean");
/// |x - target|.
Tensor l1_loss(const Operand& x, const Operand& target, std::string_view reduction = "mean");
/// d^2 / 2 where d = |x - target| <= delta, else delta (d - delta / 2) (Huber, 1964).
Tensor huber_loss(const Operand& x, const Operand& target, double delta = 1.0,
                  std::string_view reduction = "mean");
/// d^2 / (2 beta) where d = |x - target| < beta, else d - beta / 2.
Tensor smooth_l1_loss(const Operand& x, const Operand& target, double beta = 1.0,
                      std::string_view reduction = "mean");

/// -target log(p) - (1 - target) log(1 - p) of probabilities p, each logarithm at least -100.
Tensor binary_cross_entropy(const Operand& p, const Operand& target,
                            std::string_view reduction = "mean");
/// `binary_cross_entropy` of p = sigmoid(logits), without overflow; `pos_weight` weighs the term of
/// the target.
Tensor binary_cross_entropy_with_logits(const Operand& logits, const Operand& target,
                                        const std::optional<Operand>& pos_weight = {},
                                        std::string_view reduction = "mean");

/// -x[label] of logarithms of probabilities x along the class axis; NaN for a label that is not
/// there. `labels` are integers without that axis. Throws `[dtype-mismatch]`,
/// `[axis-out-of-range]`.
///
///     >>> import kolam as ko
///     >>> ko.nll_loss(ko.asarray([[-1.0, -2.0], [-3.0, -4.0]]), ko.asarray([0, 1])).item()
///     2.5
Tensor nll_loss(const Operand& x, const Operand& labels, int64_t axis = -1,
                std::string_view reduction = "mean");
/// target (log(target) - x) of logarithms of probabilities x, 0 where the target is 0; of targets
/// that are logarithms themselves, exp(target) (target - x). `reduction` may also be "batchmean",
/// the sum by the leading extent.
Tensor kl_div(const Operand& x, const Operand& target, bool log_target = false,
              std::string_view reduction = "mean");
/// max(0, 1 - x target) for targets -1 and 1.
Tensor hinge_loss(const Operand& x, const Operand& target, std::string_view reduction = "mean");

/// sum(x y) / max(|x| |y|, epsilon) along `axis`. Throws `[axis-out-of-range]`.
///
///     >>> import kolam as ko
///     >>> ko.cosine_similarity(ko.asarray([3.0, 4.0]), ko.asarray([6.0, 8.0])).item()
///     1.0
Tensor cosine_similarity(const Operand& x, const Operand& y, int64_t axis = -1,
                         double epsilon = 1e-8);

} // namespace kolam
