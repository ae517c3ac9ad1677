/// Checks a program between stages.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kolam::driver {

/// Throws `[internal]` with MLIR's diagnostics where the module is not valid: tracing checks what
/// users can get wrong, so this is a fault of ours. The message names a file in the temporary
/// folder that holds the module.
void verify(mlir::ModuleOp module);

/// The same where an op has extents that no argument, and no op before it, binds: its memory would
/// have any size. Of programs without lists, whose leaves may have extents that bodies bind.
void verify_extents(mlir::ModuleOp module);

} // namespace kolam::driver
