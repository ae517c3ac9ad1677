/// What kolam.attention's verifier, interpreter and code share: its fixed sizes, and how leading
/// dims repeat.
#pragma once

#include "kolam/ir/types.h"

#include <string>

namespace kolam::ir {

/// Meaning: keys go by blocks of so many, counted from key 0.
inline constexpr int64_t kAttentionKeys = 128;
/// Meaning: lanes in which the weights of a block are added.
inline constexpr int64_t kAttentionLanes = 64;
/// Meaning, as tasks are: query rows of a task; a multiple of every tile that code may use.
inline constexpr int64_t kAttentionRows = 96;

class AttentionOp;
/// Whether there are so few query rows that a tile of them would leave lanes empty: they go one by
/// one, with keys in lanes.
bool has_few_rows(AttentionOp op);
/// How it runs, in words.
std::string walk_of(AttentionOp op);

/// How many neighbouring indices of a result's leading dim share an index of an operand's, whose
/// extent divides it. 0 where one operand index serves all. Extents must fit (`fits_leading`).
int64_t shared_by(const Extent& result, const Extent& operand);
/// Equal extents, an extent of 1, or numbers of which the operand's divides the result's.
bool fits_leading(const Extent& result, const Extent& operand);

} // namespace kolam::ir
