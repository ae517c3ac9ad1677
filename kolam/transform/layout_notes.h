/// What a program says about data dimensions, which only their inference reads.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kolam::transform {

/// The program without pins and without notes of kept dims: what computes reads neither.
///
///     y = kolam.pin x 1   =   y = x        kolam.expand_dims x [1] keeps_dims   =
///     kolam.expand_dims x [1]
void drop_layout_notes(mlir::ModuleOp module);

/// The same, but for pins that choose how the CPU stores a value: those in `main` and in bodies of
/// its loops and branches, of programs without lists and kernels.
void keep_binding_pins(mlir::ModuleOp module);

} // namespace kolam::transform
