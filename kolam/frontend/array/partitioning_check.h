/// Tries by running what users say of how their functions are cut. Internal: includes MLIR.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam {

/// Tries the functions that a program calls, each once for operands of the same dtypes and extents.
/// Throws `[bad-partitioning]`, with the function, the operand and the box.
void check_partitionings(mlir::func::FuncOp main);

} // namespace kolam
