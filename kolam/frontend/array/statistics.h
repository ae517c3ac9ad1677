/// Weighted means, ranges and covariances.
///
/// They are computed in float32 for bfloat16 and float16 and rounded once; integers give float32.
#pragma once

#include "kolam/frontend/array/reduction.h"

namespace kolam {

/// The greatest element minus the least; in the dtype of x. Throws `[empty-reduction]`,
/// `[axis-out-of-range]`, `[duplicate-axis]` and, for booleans, `[dtype-mismatch]`.
Tensor ptp(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});

/// sum(x weights) / sum(weights); without weights the mean. Weights have the shape of x, or of the
/// dims that are reduced. Throws `[shape-mismatch]`, `[axis-out-of-range]`, `[duplicate-axis]`.
///
///     >>> import kolam as ko
///     >>> ko.average(ko.asarray([1.0, 2.0]), weights=ko.asarray([3.0, 1.0])).item()
///     1.25
Tensor average(const Operand& x, const Axis& axis = {}, const std::optional<Operand>& weights = {},
               ReduceOptions options = {});

/// The covariances of variables, a row of x for each, with a sample in each column; the other way
/// about unless `rowvar`. The sum of products by samples - correction. A vector gives its variance.
/// Throws `[rank-mismatch]` above rank 2.
///
///     >>> import kolam as ko
///     >>> ko.cov(ko.asarray([[0.0, 2.0], [2.0, 0.0]])).tolist()
///     [[2.0, -2.0], [-2.0, 2.0]]
Tensor cov(const Operand& x, bool rowvar = true, double correction = 1.0);
/// The coefficients of correlation of variables: cov[i, j] / sqrt(cov[i, i] cov[j, j]). As `cov`.
Tensor corrcoef(const Operand& x, bool rowvar = true);

} // namespace kolam
