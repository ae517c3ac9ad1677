/// What a nest reads or writes from end to end.
#pragma once

#include "kolam/nest/nest.h"

namespace kolam::nest {

/// A walk over every element of an input, once or a few times in a row, or of a result: element
/// after element, or where it goes by rows, a part of a row after the same part of the row before.
/// Or over parts of an input's rows, of which a loop around the nest walks over the next.
struct EndToEnd {
  mlir::Value value;
  int64_t first_of_row = 0; ///< the dims of the value from this one on form a row
};

/// What a map over the root's elements walks over so, of what the near caches do not hold, where it
/// loops over elements on the way. `together` are the reductions that go by rows; `streams` says
/// that results go past the caches.
std::vector<EndToEnd> walked_end_to_end(const Nest& nest, llvm::ArrayRef<mlir::Operation*> together,
                                        bool streams, const Machine& machine);

/// Of a walk by rows over elements of the root's shape, those of the inputs that have it.
std::vector<EndToEnd> walked_by_rows(const Nest& nest, int64_t first_of_row,
                                     const Machine& machine);

} // namespace kolam::nest
