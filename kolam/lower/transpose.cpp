// Elements of kolam.transpose.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::TransposeOp op, IndexSpan index, Emission& e) {
  Index source(index.size());
  for (auto [d, dim] : llvm::enumerate(op.getPermutation()))
    source[dim] = index[d];
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
