// Elements of kolam.dynamic_slice.
#include "kolam/lower/clipped_starts.h"
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::DynamicSliceOp op, IndexSpan index, Emission& e) {
  Index source = clipped_starts(op, op.getStarts(), ir::shape_of(op.getOperand()),
                                ir::shape_of(op.getResult()), e);
  for (auto [place, i] : llvm::zip(source, index))
    place = e.add(place, i);
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
