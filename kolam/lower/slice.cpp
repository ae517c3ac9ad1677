// Elements of kolam.slice.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::SliceOp op, IndexSpan index, Emission& e) {
  Shape starts = op.getStarts().shape();
  Index source;
  for (auto [d, i] : llvm::enumerate(index))
    source.push_back(e.add(e.extent(starts[d]), e.mul(i, e.i64(op.getSteps()[d]))));
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
