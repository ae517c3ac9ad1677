/// Quantiles: the elements in order at shares of their number.
///
/// They are computed in float32 for bfloat16 and float16 and rounded once; integers give float32.
/// All throw `[axis-out-of-range]`, `[duplicate-axis]`, and `[empty-reduction]` where there is no
/// element.
#pragma once

#include "kolam/frontend/array/reduction.h"

#include <string_view>

namespace kolam {

struct QuantileOptions {
  std::string_view method = "linear"; ///< or lower, higher, nearest, midpoint
  bool keepdims = false;
};

/// The element below which a share q of the elements lies: of n elements in order that at place
/// q (n - 1).
///
/// `q` has any shape, whose dims come first in the result. Between two elements `method` decides:
/// "linear" interpolates, "lower", "higher" and "nearest" (of halves the even place) take one,
/// "midpoint" the middle. NaN where an element is NaN. Throws `[unknown-mode]`, `[empty-reduction]`
/// and `[bad-probability]` unless 0 <= q <= 1. As NumPy's quantile.
///
///     >>> import kolam as ko
///     >>> ko.quantile(ko.asarray([4.0, 1.0, 2.0, 3.0]), ko.asarray([0.0, 0.5, 1.0])).tolist()
///     [1.0, 2.5, 4.0]
Tensor quantile(const Operand& x, const Operand& q, const Axis& axis = {},
                QuantileOptions options = {});
/// quantile(x, q / 100).
Tensor percentile(const Operand& x, const Operand& q, const Axis& axis = {},
                  QuantileOptions options = {});
/// The middle element, or the mean of the two in the middle; NaN where an element is NaN. Throws
/// `[empty-reduction]` where there is none.
///
///     >>> import kolam as ko
///     >>> ko.median(ko.asarray([5, 1, 2])).item()
///     2.0
Tensor median(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});

/// `quantile` of the elements that are not NaN; NaN of none but NaN. Throws `[empty-reduction]`
/// where there is no element.
Tensor nanquantile(const Operand& x, const Operand& q, const Axis& axis = {},
                   QuantileOptions options = {});
/// `percentile` of the elements that are not NaN.
Tensor nanpercentile(const Operand& x, const Operand& q, const Axis& axis = {},
                     QuantileOptions options = {});
/// `median` of the elements that are not NaN; NaN of none but NaN. Throws `[empty-reduction]` where
/// there is no element.
Tensor nanmedian(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});

} // namespace kolam
