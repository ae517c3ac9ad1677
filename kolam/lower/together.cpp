// Elements of kolam.together: all values at one index, before any of them is stored.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::TogetherOp op, IndexSpan index, Emission& e) {
  return llvm::map_to_vector(op.getOperands(),
                             [&](mlir::Value operand) { return e.cell(operand, index); });
}

} // namespace kolam::lower
