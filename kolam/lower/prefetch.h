/// Inputs that a walk reads from end to end, whose memory is asked for before it is needed.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// A read of every cell of an input, once or a few times in a row: cell after cell, or where a
/// walk goes by rows, a part of a row after the same part of the row before.
struct EndToEnd {
  mlir::Value input;
  int64_t first_of_row = 0; ///< the dims of the input from this one on form a row
};

/// The inputs that a map over the root's cells reads so, of those that the near caches do not hold.
/// `together` are the reductions that go by rows.
std::vector<EndToEnd> read_end_to_end(const nest::Nest& nest,
                                      llvm::ArrayRef<mlir::Operation*> together);

/// Of a walk by rows over cells of the root's shape, those of the inputs that have it.
std::vector<EndToEnd> read_by_rows(const nest::Nest& nest, int64_t first_of_row);

/// From here on, memory ahead of every load from these inputs is asked for.
void emit_prefetches(llvm::ArrayRef<EndToEnd> reads, Emission& emission);

} // namespace kolam::lower
