/// Reductions by functions of numbers, whole rows of elements at once.
#pragma once

#include "kolam/support/accumulate.h"
#include "kolam/transform/lists/frames.h"

namespace kolam::transform::lists {

/// Elements of a chunk of a list_reduce (DESIGN: order of list_reduce), which is that of
/// kolam.reduce where that goes by chunks.
inline constexpr int64_t kReduceChunk = kReduceKept.chunk;

/// Whether the function computes each cell of a result from the same cells of two elements, without
/// captures: it is the merge of a monoid of numbers.
bool combines_cells(ir::ListReduceOp op);

/// All elements of lists of a single frame, in the order of the reduction; zeros for none.
Values combine_all(Frames& frames, ir::ListReduceOp op, const std::vector<FlatList>& lists);

/// Some elements of each row: the places first[i], first[i] + 1, ... in the numbering of the lists.
struct Rows {
  Value first;   ///< i64 [rows]
  Value lengths; ///< i64 [rows], from 1 to `most`; null where all are `most`
  Extent most;
};
/// The elements of each row, combined from left to right.
Values combine_rows(Frames& frames, ir::ListReduceOp op, const std::vector<FlatList>& lists,
                    const Rows& rows);

} // namespace kolam::transform::lists
