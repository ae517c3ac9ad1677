// Elements of kolam.iota.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

namespace kolam::lower {

Values emit_cells(ir::IotaOp op, IndexSpan index, Emission& e) {
  ScalarBuilder scalar_builder(e.b);
  return {cast<ScalarBuilder, Value>(scalar_builder, DType::i64, ir::dtype_of(op.getResult()),
                                     e.value(index[op.getDim()]))};
}

} // namespace kolam::lower
