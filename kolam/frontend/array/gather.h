/// Windows of a tensor at places given by data.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <string_view>
#include <vector>

namespace kolam {

/// Windows of `x`, one per batch of `start_indices`.
///
///     result[n..., o...] = x[start(n) + o]
///     start(n)[gather_dims[c]] = start_indices[n..., c], 0 elsewhere
///
/// `start_indices` has shape [n..., D] and any integer dtype, `gather_dims` D distinct dims in any
/// order, `gather_lengths` the window's length along each; other dims are taken whole and no dim of
/// `x` vanishes. The first `batched_dims` dims of `x` and `start_indices` are shared, and
/// `gather_dims` count from there. A window not wholly inside: `mode` "clip" moves its start
/// inside, "fill" gives NaN, the lowest integer, the highest unsigned or true, "wrap" takes each
/// place modulo the extent, "promise" is the caller's promise that there is none, "check" throws
/// `[index-out-of-range]`. A negative start is out of bounds. Throws `[axis-out-of-range]`,
/// `[duplicate-axis]`, `[dtype-mismatch]`, `[rank-mismatch]`, `[shape-mismatch]`,
/// `[window-too-large]`, `[unknown-mode]`. Source: SambaFlow's sn_gather.
Tensor gather(const Operand& x, const Operand& start_indices,
              const std::vector<int64_t>& gather_dims, const std::vector<int64_t>& gather_lengths,
              int64_t batched_dims = 0, std::string_view mode = "clip");

} // namespace kolam
