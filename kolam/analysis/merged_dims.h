/// Neighbouring dims of a block as one dim.
#pragma once

#include "kolam/analysis/block_graph.h"

namespace kolam::analysis {

/// What stands for dims i_first to i_last, which are independent of one another's lengths, when
/// they become one dim, i_first, in row-major order:
///
///     i0 < B, i1 < H    ->    i0 = floordiv(i0, H), i1 = i0 - H floordiv(i0, H)
///
/// Dims behind them keep their names.
Replacements merged_dims(const std::vector<Dim>& dims, size_t first, size_t last);

/// The number of an element in a list whose outer dims, of these lengths, are one dim: i0 L1 + i1
/// of index [i0, i1], lengths [L0, L1].
Extent row_major(const Shape& index, const Shape& lengths);

} // namespace kolam::analysis
