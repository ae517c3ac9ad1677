/// Where elements are not 0. How many there are data decide: at once the results have that many
/// elements; under `jit` their extent is a symbol that the running program binds, or `size`.
#pragma once

#include "kolam/frontend/array/axis.h"
#include "kolam/frontend/array/reduction.h"
#include "kolam/frontend/array/tensor.h"

#include <optional>
#include <vector>

namespace kolam {

struct NonzeroOptions {
  std::optional<Extent> size = {};       ///< how many are given, in place of all
  std::vector<int64_t> fill_value = {0}; ///< behind the last one; one number, or one for each dim
};

/// The coordinates of the elements that are not 0, in row-major order: a tensor for each dim.
///
///     nonzero({{3, 0}, {0, 4}})   =   {0, 1}, {0, 1}
///
/// `size` asks for so many: the first ones where there are more, `fill_value` behind the last one
/// where there are fewer. i32, or i64 where an extent is symbolic or there are more than 2^31 - 1
/// elements. NaN is not 0. Throws `[rank-mismatch]` for rank 0, and unless there is one fill value
/// or one for each dim, and `[extent-negative]` for `size`. As the array API's nonzero.
std::vector<Tensor> nonzero(const Operand& x, const NonzeroOptions& options = {});

/// The coordinates of the elements that are not 0 as rows of one tensor: result[k] is the index of
/// element number k, in row-major order. Throws as `nonzero`.
Tensor argwhere(const Operand& x, const NonzeroOptions& options = {});

/// The row-major places of the elements that are not 0: `nonzero` of all elements in one dim.
/// Throws as `nonzero`.
Tensor flatnonzero(const Operand& x, const NonzeroOptions& options = {});

/// How many elements are not 0: i32, or i64 where the reduced extents exceed it or are symbolic.
/// Axes as in `sum`.
Tensor count_nonzero(const Operand& x, const Axis& axis = {}, ReduceOptions options = {});

} // namespace kolam
