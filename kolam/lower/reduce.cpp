// Elements of kolam.reduce.
#include "kolam/lower/ops.h"
#include "kolam/lower/reduction_code.h"

namespace kolam::lower {

ReductionCode reduction_code(ir::ReduceOp op, Emission& e) {
  Values inputs(op.getInputs());
  return {op, ir::reduction_of(op), e.shape(inputs.front()), [=, &e](IndexSpan index) {
            return llvm::map_to_vector(inputs, [&](Value input) { return e.cell(input, index); });
          }};
}

Values emit_cells(ir::ReduceOp op, IndexSpan index, Emission& e) {
  return e.reduced(reduction_code(op, e), index);
}

} // namespace kolam::lower
