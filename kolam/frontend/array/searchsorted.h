/// Where values lie among sorted ones, and whether they are among given ones: O(log n) each.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <optional>

namespace kolam {

/// On which side of equal elements a value is put.
enum class Side : uint8_t { left, right };

/// How many elements of `x`, of rank 1 and sorted, come before each of `values`: where it would be
/// put to keep the order.
///
///     left:    result[i..] = number of k with x[k] < values[i..]
///     right:   result[i..] = number of k with x[k] <= values[i..]
///
/// The order is that of `sort`: NaN counts as largest. `sorter` holds the places that sort an `x`
/// which is not sorted, as `argsort` gives them. i32, or i64 where the extent of `x` is symbolic or
/// exceeds 2^31 - 1. What an `x` that is not sorted gives is unspecified, but lies in 0 .. n.
/// Throws `[rank-mismatch]`, `[no-promotion]`, and of the sorter `[shape-mismatch]` and
/// `[dtype-mismatch]`. As the array API's searchsorted.
Tensor searchsorted(const Operand& x, const Operand& values, Side side = Side::left,
                    const std::optional<Operand>& sorter = {});

/// result[i..] = whether x[i..] equals an element of `values`, or with `invert` whether it equals
/// none. NaN equals nothing. Sorts `values`, of any shape. Throws `[no-promotion]`.
Tensor isin(const Operand& x, const Operand& values, bool invert = false);

} // namespace kolam
