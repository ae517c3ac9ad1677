/// Reductions that leave NaN out, and its replacement by numbers.
///
/// Axes, `keepdims`, dtypes and the order of accumulation are those of the functions without `nan`
/// in their names (reduction.h), which they are for integers and booleans. All throw
/// `[axis-out-of-range]` and `[duplicate-axis]`.
#pragma once

#include "kolam/frontend/array/reduction.h"

namespace kolam {

/// The sum of the elements that are not NaN; of none +0.
///
///     >>> import kolam as ko
///     >>> ko.nansum(ko.asarray([1.0, ko.nan, 2.0])).item()
///     3.0
Tensor nansum(const Operand& x, const Axis& axis = {}, SumOptions options = {});
/// The product of the elements that are not NaN; of none 1.
Tensor nanprod(const Operand& x, const Axis& axis = {}, SumOptions options = {});

/// The least element that is not NaN; NaN of none but NaN. Throws `[empty-reduction]`.
Tensor nanmin(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});
/// The greatest element that is not NaN; NaN of none but NaN. Throws `[empty-reduction]`.
Tensor nanmax(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});
/// The place of the first least element that is not NaN, row-major over the reduced axes; -1 of
/// none but NaN. Throws `[empty-reduction]`.
Tensor nanargmin(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});
/// The place of the first greatest element that is not NaN, row-major over the reduced axes; -1 of
/// none but NaN. Throws `[empty-reduction]`.
Tensor nanargmax(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});

/// The mean of the elements that are not NaN; NaN of none.
///
///     >>> import kolam as ko
///     >>> ko.nanmean(ko.asarray([1.0, ko.nan, 2.0])).item()
///     1.5
Tensor nanmean(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});
/// sum((x - mean)^2) / max(count - correction, 0) of the elements that are not NaN.
Tensor nanvar(const Operand& x, const Axis& axis = {}, VarianceOptions options = {});
/// sqrt(nanvar(x)).
Tensor nanstd(const Operand& x, const Axis& axis = {}, VarianceOptions options = {});

/// `cumulative_sum` with NaN as 0.
Tensor nancumsum(const Operand& x, CumulativeOptions options = {});
/// `cumulative_prod` with NaN as 1.
Tensor nancumprod(const Operand& x, CumulativeOptions options = {});

/// `x` with numbers in place of NaN, inf and -inf; the dtype's greatest and lowest number unless
/// `posinf` and `neginf` say otherwise.
///
///     >>> import kolam as ko
///     >>> ko.nan_to_num(ko.asarray([1.0, ko.nan, ko.inf]), posinf=9.0).tolist()
///     [1.0, 0.0, 9.0]
Tensor nan_to_num(const Operand& x, double nan = 0.0, std::optional<double> posinf = {},
                  std::optional<double> neginf = {});

} // namespace kolam
