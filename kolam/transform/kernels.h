/// Kernels leave a program: what is left are loops over arrays.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kolam::transform {

/// Whether a program holds kernels.
bool has_kernels(mlir::ModuleOp module);

/// Replaces every kernel call by loops over its grid with the same results, bit by bit: arrays that
/// a kernel changes become states of the loops, Refs become indices into them (docs/design/
/// kernels.md).
void kernels_to_values(mlir::ModuleOp module);

} // namespace kolam::transform
