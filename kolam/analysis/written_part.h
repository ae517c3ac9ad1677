/// What a list shows of a buffer, turned round: where the writer of the buffer writes.
#pragma once

#include "kolam/analysis/list_places.h"

namespace kolam::analysis {

/// The part of a list of `depth` that shows a buffer of a block as what that block writes into the
/// list: k_m in terms of i_j, from index[j] = k_m + c or c - k_m, and from pairs (k_m mod d, k_m
/// div d); nullopt for other parts. Its buffer is kUnlisted.
///
///     list[k0] = buffer[k0 - 2] where 2 <= k0 < L    ->    list[i0 + 2] where i0 < L - 2
std::optional<Part> written_part(const Part& shown, size_t depth, Placing& placing);

} // namespace kolam::analysis
