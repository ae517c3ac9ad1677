/// Functions that normalise along axes, and the losses over them.
///
/// They are computed in f32 for bf16 and f16 and rounded once; integers give f32. All throw
/// `[axis-out-of-range]` and
/// `[duplicate-axis]`.
#pragma once

#include "kolam/frontend/array/axis.h"
#include "kolam/frontend/array/tensor.h"

namespace kolam {

/// exp(x - m) / sum(exp(x - m)) over the axes, with m = max(x), so that no exponential overflows.
Tensor softmax(const Operand& x, const Axis& axis = -1);
/// x - m - log(sum(exp(x - m))) over the axes, with m = max(x).
Tensor log_softmax(const Operand& x, const Axis& axis = -1);

struct NormOptions {
  Axis axis = -1;        ///< the axes that are normalised together
  double epsilon = 1e-5; ///< keeps the root from 0
};

/// (x - mean(x)) / sqrt(var(x) + epsilon) over the axes, times `weight` plus `bias` where they are
/// given, which have the extents of these axes. Throws `[shape-mismatch]`. Source: Ba, Kiros,
/// Hinton, "Layer Normalization", 2016.
Tensor layer_norm(const Operand& x, const std::optional<Operand>& weight = {},
                  const std::optional<Operand>& bias = {}, NormOptions options = {});
/// x / sqrt(mean(x^2) + epsilon) over the axes, times `weight` where it is given. Throws
/// `[shape-mismatch]`. Source: Zhang, Sennrich, "Root Mean Square Layer Normalization", 2019.
Tensor rms_norm(const Operand& x, const std::optional<Operand>& weight = {},
                NormOptions options = {});

/// -sum(p log_softmax(logits)) over the class axis, one loss for every other index. `labels` are
/// the probabilities p in the logits' shape, or integers without the class axis, whose p is 1 for
/// that class; the loss of a class outside the extent is NaN, and an error under checks of bounds
/// (`[index-out-of-range]`). Throws `[shape-mismatch]` and, for boolean labels, `[dtype-mismatch]`.
Tensor cross_entropy(const Operand& logits, const Operand& labels, int64_t axis = -1);

} // namespace kolam
