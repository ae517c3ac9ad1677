// Cells of kolam.transpose.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::TransposeOp op, ValueSpan index, Emission& e) {
  Values source(index.size());
  for (auto [d, dim] : llvm::enumerate(op.getPermutation()))
    source[dim] = index[d];
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
