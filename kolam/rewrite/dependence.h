/// Which ops a value needs.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace kolam::rewrite {

/// Whether the value is computed from results of `op`, an op of the same block.
inline bool depends_on(mlir::Value value, mlir::Operation* op) {
  llvm::SmallVector<mlir::Operation*> open;
  llvm::SmallPtrSet<mlir::Operation*, 16> seen;
  auto look = [&](mlir::Value needed) {
    if (mlir::Operation* maker = needed.getDefiningOp(); maker && seen.insert(maker).second)
      open.push_back(maker);
  };
  look(value);
  while (!open.empty()) {
    mlir::Operation* next = open.pop_back_val();
    if (next == op)
      return true;
    if (op->isBeforeInBlock(next)) // others come before it
      for (mlir::Value operand : next->getOperands())
        look(operand);
  }
  return false;
}

} // namespace kolam::rewrite
