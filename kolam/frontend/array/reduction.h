/// Reductions of a tensor over all axes, one, or several; and running sums.
///
/// The order of accumulation is part of the meaning and the same on every machine: over
/// the last axis 64 lanes in chunks of 4096, otherwise chunks of 64. bf16 and f16 are computed in
/// f32 and rounded once. `axis` names all axes unless given; reduced axes vanish, or stay with
/// extent 1 with `keepdims`. All throw
/// `[axis-out-of-range]` and `[duplicate-axis]`.
#pragma once

#include "kolam/frontend/array/axis.h"
#include "kolam/frontend/array/tensor.h"

namespace kolam {

struct ReduceOptions {
  bool keepdims = false;
};

struct SumOptions {
  bool keepdims = false;
  std::optional<DType> dtype = {}; ///< of the result, and before it of the elements
};

struct VarianceOptions {
  double correction = 0; ///< 1 gives the unbiased estimate of a sample's variance
  bool keepdims = false;
};

/// The sum; of no elements +0. bool and small integers give i32, small unsigned ones u32, unless
/// `dtype` says otherwise; integers wrap. Throws `[dtype-mismatch]` for the dtype bool.
Tensor sum(const Operand& x, const Axis& axis = {}, SumOptions options = {});
/// The product; of no elements 1. dtypes as `sum`.
Tensor prod(const Operand& x, const Axis& axis = {}, SumOptions options = {});

/// The smallest element, NaN if any is, -0 below +0. Throws `[empty-reduction]` where there is none
/// (for a symbolic extent when it runs) and `[dtype-mismatch]` for booleans.
Tensor min(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});
/// The largest element, NaN if any is, +0 above -0. Throws `[empty-reduction]` where there is none
/// (for a symbolic extent when it runs) and `[dtype-mismatch]` for booleans.
Tensor max(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});

/// sum(x) / count. Integers give f32; no elements give NaN.
Tensor mean(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});
/// sum((x - mean(x))^2) / max(count - correction, 0). Integers give f32.
Tensor var(const Operand& x, const Axis& axis = {}, VarianceOptions options = {});
/// sqrt(var(x)).
Tensor std(const Operand& x, const Axis& axis = {}, VarianceOptions options = {});

/// Whether some element is not 0; false of none. NaN is not 0.
Tensor any(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});
/// Whether no element is 0; true of none.
Tensor all(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});

/// The place of the first NaN, else of the first smallest element, row-major over the reduced axes:
/// i32, or i64 where their extents exceed it or are symbolic. Throws `[empty-reduction]`.
Tensor argmin(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});
/// The place of the first NaN, else of the first largest element, row-major over the reduced axes:
/// i32, or i64 where their extents exceed it or are symbolic. Throws `[empty-reduction]`.
Tensor argmax(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});

/// log(sum(exp(x))), computed as m + log(sum(exp(x - m))) with m = max(x); -inf of no elements.
/// Integers give f32.
Tensor logsumexp(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});

struct CumulativeOptions {
  std::optional<int64_t> axis = {}; ///< may be left out for rank 1
  std::optional<DType> dtype = {};
  bool include_initial = false; ///< starts with 0 (or 1): the result is one longer
};

/// result[i] = x[0] + ... + x[i] along the axis, left to right. dtypes as `sum`. Throws
/// `[axis-required]` where the axis is left out and the rank is not 1.
Tensor cumulative_sum(const Operand& x, CumulativeOptions options = {});
/// result[i] = x[0] * ... * x[i] along the axis, left to right. dtypes as `prod`. Throws
/// `[axis-required]` where the axis is left out and the rank is not 1.
Tensor cumulative_prod(const Operand& x, CumulativeOptions options = {});

/// result[i] = max(x[0], ..., x[i]) along the axis, or max(x[i], ..., x[n - 1]) with `reverse`; NaN
/// from the first NaN on. The axis may be left out for rank 1. Throws `[axis-required]`,
/// `[axis-out-of-range]`, `[dtype-mismatch]` for booleans.
///
///     >>> import kolam as ko
///     >>> ko.cumulative_max(ko.asarray([1, 3, 2, 5])).tolist()
///     [1, 3, 3, 5]
Tensor cumulative_max(const Operand& x, std::optional<int64_t> axis = std::nullopt,
                      bool reverse = false);
/// result[i] = min(x[0], ..., x[i]) along the axis; as `cumulative_max`.
Tensor cumulative_min(const Operand& x, std::optional<int64_t> axis = std::nullopt,
                      bool reverse = false);

} // namespace kolam
