/// What a program says about data dimensions, which only their inference reads.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kolam::transform {

/// The program without pins and without notes of kept dims: what computes reads neither.
///
///     y = kolam.pin x 1   =   y = x        kolam.expand_dims x [1] keeps_dims   =
///     kolam.expand_dims x [1]
void drop_layout_notes(mlir::ModuleOp module);

} // namespace kolam::transform
