// Elements of kolam.reduce.
#include "kolam/lower/cpu/reduction.h"
#include "kolam/lower/ops.h"

namespace kolam::lower {

ReductionCode reduction_code(ir::ReduceOp op, Emission& e) {
  Values inputs(op.getInputs());
  return {op, ir::reduction_of(op), e.shape(inputs.front()), [=, &e](IndexSpan index) {
            return llvm::map_to_vector(inputs, [&](Value input) { return e.cell(input, index); });
          }};
}

Values emit_cells(ir::ReduceOp op, IndexSpan index, Emission& e) {
  return emit_reductions(reduction_code(op, e), {Index(index)}, e)[0];
}

} // namespace kolam::lower
