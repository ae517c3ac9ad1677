/// What conversion leaves behind.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::transform::lists {

/// Takes out what nobody uses, symbols included, makes equal ops one, and moves out of loops the
/// structure that no turn changes.
void sweep(mlir::func::FuncOp function);

/// In front of it: takes out what takes lists apart and nobody reads, as pytrees of tensors do
/// whose lists are put together again.
void drop_unread(mlir::func::FuncOp function);

} // namespace kolam::transform::lists
