// Elements of kolam.expand_dims.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::ExpandDimsOp op, IndexSpan index, Emission& e) {
  Index source;
  for (auto [dim, i] : llvm::enumerate(index))
    if (!llvm::is_contained(op.getDims(), static_cast<int64_t>(dim)))
      source.push_back(i);
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
