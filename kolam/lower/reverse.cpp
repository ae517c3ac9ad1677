// Elements of kolam.reverse.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::ReverseOp op, IndexSpan index, Emission& e) {
  Shape shape = ir::shape_of(op.getOperand());
  Index source(index.begin(), index.end());
  for (int64_t dim : op.getDims())
    source[dim] = e.sub(e.extent(shape[dim] - Extent(1)), index[dim]);
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
