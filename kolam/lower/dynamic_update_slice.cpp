// Elements of kolam.dynamic_update_slice.
#include "kolam/lower/clipped_starts.h"
#include "kolam/lower/inside.h"
#include "kolam/lower/ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kolam::lower {

Values emit_cells(ir::DynamicUpdateSliceOp op, IndexSpan index, Emission& e) {
  Shape sizes = ir::shape_of(op.getUpdate());
  Index place = clipped_starts(op, op.getStarts(), ir::shape_of(op.getOperand()), sizes, e);
  Inside inside(e);
  bool is_outside = false;
  for (size_t d = 0; d < place.size(); ++d) {
    place[d] = e.sub(index[d], place[d]);
    Value size = e.extent(sizes[d]);
    std::optional<bool> is_before = e.is_less(place[d], e.i64(0)),
                        is_within = e.is_less(place[d], size);
    is_outside |= is_before == true || is_within == false;
    if (is_before != false || is_within != true) // below zero is above every size, unsigned
      inside.require(e.compare(mlir::arith::CmpIPredicate::ult, place[d], size));
  }
  if (is_outside)
    return {e.cell(op.getOperand(), index)};
  return inside.choose(
      ir::dtype_of(op.getResult()), [&] { return Values{e.cell(op.getUpdate(), place)}; },
      [&] { return Values{e.cell(op.getOperand(), index)}; });
}

} // namespace kolam::lower
