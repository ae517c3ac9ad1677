// Elements of kolam.squeeze.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::SqueezeOp op, IndexSpan index, Emission& e) {
  Index source;
  for (int64_t dim = 0; dim < ir::rank_of(op.getOperand()); ++dim)
    if (llvm::is_contained(op.getDims(), dim))
      source.push_back(e.i64(0));
    else
      source.push_back(
          index[dim - llvm::count_if(op.getDims(), [&](int64_t gone) { return gone < dim; })]);
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
