// Cells of kolam.zip_map_reduce.
#include "kolam/lower/ops.h"
#include "kolam/lower/reduction.h"

namespace kolam::lower {

Values emit_cells(ir::ZipMapReduceOp op, IndexSpan index, Emission& e) {
  auto body = [&](IndexSpan point) {
    Values arguments;
    for (Value input : op.getInputs())
      arguments.push_back(e.cell(input, point));
    auto outer = std::exchange(e.point, Index(point));
    Values yielded = e.region(op.getBody(), arguments, op.getCaptures());
    e.point = std::move(outer);
    return yielded;
  };
  auto reduction = ir::reduction_of(op);
  if (!reduction)
    return body(index);
  Values space;
  for (const Extent& extent : op.getSpace().shape())
    space.push_back(e.extent(extent));
  return emit_reduction(op, *reduction, space, index, body, e);
}

} // namespace kolam::lower
