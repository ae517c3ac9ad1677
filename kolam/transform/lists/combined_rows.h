/// Reductions by functions of numbers, whole rows of elements at once.
#pragma once

#include "kolam/support/accumulate.h"
#include "kolam/transform/lists/frames.h"

namespace kolam::transform::lists {

/// Elements of a chunk of a list_reduce whose order is by chunks.
inline constexpr int64_t kReduceChunk = kReduceKept.chunk;

/// Whether the function computes each cell of a result from the same cells of two elements, without
/// captures: it is the merge of a monoid of numbers.
bool combines_cells(ir::ListReduceOp op);

/// All elements of lists of a single frame, in the order of the reduction; zeros for none.
Values combine_all(Frames& frames, ir::ListReduceOp op, const std::vector<FlatList>& lists);

/// The elements of each list, where all lists have so many, at least one.
Values combine_even_rows(Frames& frames, ir::ListReduceOp op, const std::vector<FlatList>& lists,
                         const Extent& length);
/// The elements of each list, whatever their lengths; zeros for none.
Values combine_segments(Frames& frames, ir::ListReduceOp op, const std::vector<FlatList>& lists);

} // namespace kolam::transform::lists
