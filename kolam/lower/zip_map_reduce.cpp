// Elements of kolam.zip_map_reduce.
#include "kolam/lower/ops.h"
#include "kolam/lower/reduction_code.h"

namespace kolam::lower {
namespace {

/// What the body yields at a point of the space.
Values emit_body(ir::ZipMapReduceOp op, IndexSpan point, Emission& e) {
  Values arguments;
  for (Value input : op.getInputs())
    arguments.push_back(e.cell(input, point));
  auto outer = std::exchange(e.point, Index(point));
  Values yielded = e.region(op.getBody(), arguments, op.getCaptures());
  e.point = std::move(outer);
  return yielded;
}

} // namespace

ReductionCode reduction_code(ir::ZipMapReduceOp op, Emission& e) {
  Values space;
  for (const Extent& extent : op.getSpace().shape())
    space.push_back(e.extent(extent));
  return {op, *ir::reduction_of(op), space,
          [=, &e](IndexSpan point) { return emit_body(op, point, e); }};
}

Values emit_cells(ir::ZipMapReduceOp op, IndexSpan index, Emission& e) {
  if (!ir::reduction_of(op))
    return emit_body(op, index, e);
  return e.reduced(reduction_code(op, e), index);
}

} // namespace kolam::lower
