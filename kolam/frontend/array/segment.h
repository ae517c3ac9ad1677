/// Reductions of the rows that share a number.
#pragma once

#include "kolam/frontend/array/tensor.h"

namespace kolam {

/// The sums of the rows of `data` that have the same number in `segment_ids`:
///
///     result[s] = sum of data[i] over all i with segment_ids[i] = s,  for s < num_segments
///
/// `segment_ids` are integers in any order, in the shape of the leading dims of `data`; those
/// outside [0, num_segments) are left out, and a segment without rows is 0. Rows are added in their
/// order. dtypes as `sum`; bfloat16 and float16 are added in float32 and rounded once. Without
/// `num_segments` it is the greatest id plus 1, which a traced value cannot say: `[traced-value]`.
/// Throws `[dtype-mismatch]`, `[rank-mismatch]`, `[shape-mismatch]`.
///
///     >>> import kolam as ko
///     >>> ko.segment_sum(ko.asarray([1, 2, 4, 8]), ko.asarray([0, 2, 0, 2]), 3).tolist()
///     [5, 0, 10]
Tensor segment_sum(const Operand& data, const Operand& segment_ids,
                   std::optional<Extent> num_segments = {});
/// The products of the rows with the same number, 1 of none; see `segment_sum`.
Tensor segment_prod(const Operand& data, const Operand& segment_ids,
                    std::optional<Extent> num_segments = {});
/// The least of the rows with the same number, place by place, NaN where one is; inf or the highest
/// integer of none. See `segment_sum`; booleans are `[dtype-mismatch]`.
Tensor segment_min(const Operand& data, const Operand& segment_ids,
                   std::optional<Extent> num_segments = {});
/// The greatest of the rows with the same number; -inf or the lowest integer of none. See
/// `segment_min`.
Tensor segment_max(const Operand& data, const Operand& segment_ids,
                   std::optional<Extent> num_segments = {});
/// The means of the rows with the same number; NaN of none, float32 of integers. See `segment_sum`.
Tensor segment_mean(const Operand& data, const Operand& segment_ids,
                    std::optional<Extent> num_segments = {});

/// How often each number from 0 on occurs in `x`, or the sums of the weights beside it:
///
///     result[v] = number of i with x[i] = v         result[v] = sum of weights[i] with x[i] = v
///
/// `length` is the result's extent; without it that is the greatest number plus 1, at least
/// `minlength`, and then a negative number is `[negative-count]` and a traced `x` `[traced-value]`.
/// With a `length` what lies outside is left out. Counts are int32, sums float32 or the weights'
/// float dtype. Throws `[dtype-mismatch]` unless `x` holds integers, `[rank-mismatch]` unless it
/// has rank 1, `[shape-mismatch]`.
///
///     >>> import kolam as ko
///     >>> ko.bincount(ko.asarray([0, 3, 3, 1])).tolist()
///     [1, 1, 0, 2]
Tensor bincount(const Operand& x, const std::optional<Operand>& weights = {}, int64_t minlength = 0,
                std::optional<Extent> length = {});

} // namespace kolam
