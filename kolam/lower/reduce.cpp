// Cells of kolam.reduce.
#include "kolam/lower/ops.h"
#include "kolam/lower/reduction.h"

namespace kolam::lower {

Values emit_cells(ir::ReduceOp op, IndexSpan index, Emission& e) {
  auto element = [&](IndexSpan full) {
    Values cells;
    for (Value input : op.getInputs())
      cells.push_back(e.cell(input, full));
    return cells;
  };
  return emit_reduction(op, ir::reduction_of(op), e.shape(op.getInputs().front()), index, element,
                        e);
}

} // namespace kolam::lower
