/// Differences of neighbours.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <optional>

namespace kolam {

/// n times result[i] = x[i + 1] - x[i] along `axis`, which each time is one shorter, down to 0.
///
///     diff({1, 4, 9, 16})   =   {3, 5, 7}
///
/// Of booleans: whether neighbours differ. `prepend` and `append` stand before and behind x first:
/// scalars, which are one element each, or tensors that `concat` joins to x. Integers wrap. Throws
/// `[negative-count]`, `[axis-out-of-range]`, `[rank-mismatch]` and `[shape-mismatch]`. As the
/// array API's diff.
Tensor diff(const Operand& x, int64_t n = 1, int64_t axis = -1,
            const std::optional<Operand>& prepend = {}, const std::optional<Operand>& append = {});

} // namespace kolam
