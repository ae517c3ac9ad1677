// Elements of kolam.broadcast.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::BroadcastOp op, IndexSpan index, Emission& e) {
  Index source;
  for (auto [extent, dim] : llvm::zip(ir::shape_of(op.getOperand()), op.getDims()))
    source.push_back(extent == Extent(1) ? e.i64(0) : index[dim]);
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
