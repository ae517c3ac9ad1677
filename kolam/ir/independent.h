/// Loops whose turns may run in any order, or at once.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::ir {

/// Says of a loop that no turn reads or writes a cell of a state that another turn writes: what
/// each turn yields are the states it was given but for cells of its own. Whoever makes the loop
/// knows; what the loop means stays the same.
inline void set_independent(ForOp op) {
  op->setAttr("independent", mlir::UnitAttr::get(op.getContext()));
}
inline bool is_independent(ForOp op) { return op->hasAttr("independent"); }

} // namespace kolam::ir
