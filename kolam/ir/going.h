/// Loops that run while some element goes on, where each that does not stays as it is: elements
/// need not wait for one another.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::ir {

/// What a loop's condition asks, as values of its region:
///
///     while all(scalars) and any(elements): ...
struct Going {
  llvm::SmallVector<mlir::Value> scalars;
  /// One for each element of the states; null where the condition is about scalars alone.
  mlir::Value elements;
  bool is_negated = false; ///< elements that do not hold go on
};

/// Nullopt where an element may change in the body though its own condition fails: then it has to
/// run as long as any other.
std::optional<Going> going(WhileOp loop);

/// Whether a body leaves some state as it is where a condition fails: `where(condition, x, state)`.
/// `first` is the number of the argument of the first state.
bool keeps_some(mlir::Block& body, unsigned first, size_t states);

} // namespace kolam::ir
