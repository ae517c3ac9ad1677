/// Why a vmap became a map over lists, on that op: `explain` shows it.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::ir {

inline void set_why_lists(mlir::Operation* op, llvm::StringRef why) {
  op->setAttr("why_lists", mlir::StringAttr::get(op->getContext(), why));
}
/// Empty for other maps.
inline llvm::StringRef why_lists(mlir::Operation* op) {
  auto why = op->getAttrOfType<mlir::StringAttr>("why_lists");
  return why ? why.getValue() : llvm::StringRef();
}

} // namespace kolam::ir
