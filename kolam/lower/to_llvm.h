/// From loops over scf, arith and math to the LLVM dialect.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kolam::lower {

/// Rewrites the module; false, with a diagnostic, where an op has no lowering.
bool to_llvm(mlir::ModuleOp module);

} // namespace kolam::lower
