/// What no turn of a loop changes, in front of the loop.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::transform::lists {

/// Moves sizes, and values that are dear or needed in memory, in front of the loops that do not
/// change them.
void hoist_invariants(mlir::func::FuncOp function);

} // namespace kolam::transform::lists
