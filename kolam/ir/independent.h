/// Loops whose turns may run in any order, or at once.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::ir {

/// Says of a loop that each element of a state is written by one turn and read by no other: what a
/// turn yields are the states it was given but for elements of its own. Whoever makes the loop
/// knows; what it means stays the same.
inline void set_independent(ForOp op) {
  op->setAttr("independent", mlir::UnitAttr::get(op.getContext()));
}
inline bool is_independent(ForOp op) { return op->hasAttr("independent"); }

} // namespace kolam::ir
