/// Lists leave a program: what is left are tensors of leaves and vectors of integers.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace kolam::transform {

/// Whether a program holds ops on lists.
bool has_lists(mlir::ModuleOp module);

/// The attribute of a function with the order that its scans take: kSequential, step by step as
/// they are written, or kWaves, in waves wherever those are legal. Without it cost decides.
inline constexpr llvm::StringLiteral kOrder = "kolam.order";
inline constexpr llvm::StringLiteral kSequential = "sequential", kWaves = "waves";

/// Replaces the ops on lists of every function by ops on tensors with the same results, bit by bit
/// (docs/design/lists.md): a body of a map is converted once for all instances, structure is
/// integer arithmetic, leaves are read where they lie. Gives, for `explain`, a line on each scan
/// and on each map that is not converted for all instances at once: in which order it runs, and
/// why.
std::vector<std::string> lists_to_tensors(mlir::ModuleOp module);

} // namespace kolam::transform
