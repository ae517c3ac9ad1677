// Elements of kolam.elementwise: the scalar code of the table's row.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

namespace kolam::lower {

Values emit_cells(ir::ElementwiseOp op, IndexSpan index, Emission& e) {
  Values arguments;
  for (Value operand : op.getOperands())
    arguments.push_back(e.cell(operand, index));
  ScalarBuilder scalar_builder(e.b, e.machine.has_avx512());
  // The dtype of a row is that of its last operand: the condition of `where` comes first.
  return {elementwise<ScalarBuilder, Value>(scalar_builder, *parse_fn(op.getFunction()),
                                            ir::dtype_of(op.getOperands().back()), arguments)};
}

} // namespace kolam::lower
