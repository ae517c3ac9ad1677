// Elements of kolam.iter_index.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"
#include "kolam/support/error.h"

namespace kolam::lower {

Values emit_cells(ir::IterIndexOp op, IndexSpan, Emission& e) {
  KOLAM_CHECK(op.getDim() < e.point.size());
  ScalarBuilder scalar_builder(e.b);
  return {cast<ScalarBuilder, Value>(scalar_builder, DType::i64, ir::dtype_of(op.getResult()),
                                     e.value(e.point[op.getDim()]))};
}

} // namespace kolam::lower
