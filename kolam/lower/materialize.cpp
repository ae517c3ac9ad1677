// Elements of kolam.materialize.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::MaterializeOp op, IndexSpan index, Emission& e) {
  return {e.cell(op.getOperand(), index)};
}

} // namespace kolam::lower
