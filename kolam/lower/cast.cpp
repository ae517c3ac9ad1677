// Elements of kolam.cast.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

namespace kolam::lower {

Values emit_cells(ir::CastOp op, IndexSpan index, Emission& e) {
  ScalarBuilder scalar_builder(e.b, e.machine);
  return {cast<ScalarBuilder, Value>(scalar_builder, ir::dtype_of(op.getOperand()),
                                     ir::dtype_of(op.getResult()), e.cell(op.getOperand(), index))};
}

} // namespace kolam::lower
