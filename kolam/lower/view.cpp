// Elements of kolam.view.
#include "kolam/lower/ops.h"

namespace kolam::lower {

Values emit_cells(ir::ViewOp op, IndexSpan index, Emission& e) {
  Index source;
  for (const space::AffineRow& row : op.map().rows) {
    Coordinate at = e.extent(row.offset);
    for (auto [coefficient, i] : llvm::zip(row.coefficients, index))
      if (coefficient != 0)
        at = e.add(e.mul(i, e.i64(coefficient)), at);
    source.push_back(at);
  }
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
