// The element of kolam.extent.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::ExtentOp op, IndexSpan, Emission& e) {
  return {e.extent(*Extent::parse(op.getExpression()))};
}

} // namespace kolam::lower
