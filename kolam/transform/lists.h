/// Lists leave a program: what is left are tensors of leaves and vectors of integers.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kolam::transform {

/// Whether a program holds ops on lists.
bool has_lists(mlir::ModuleOp module);

/// Replaces the ops on lists of every function by ops on tensors with the same results, bit by bit
/// (docs/design/lists.md): a body of a map is converted once for all instances, structure is integer
/// arithmetic, leaves are read where they lie.
void lists_to_tensors(mlir::ModuleOp module);

} // namespace kolam::transform
