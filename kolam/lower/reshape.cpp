// Cells of kolam.reshape: coordinates change only within groups of dims of equal products.
#include "kolam/ir/reshape_groups.h"
#include "kolam/lower/ops.h"

namespace kolam::lower {
namespace {

/// The dims of a range whose coordinate is not always 0.
std::vector<size_t> moving_dims(ir::DimRange range, const Shape& shape) {
  std::vector<size_t> dims;
  for (size_t dim = range.first; dim < range.first + range.count; ++dim)
    if (shape[dim] != Extent(1))
      dims.push_back(dim);
  return dims;
}

} // namespace

Values emit_cells(ir::ReshapeOp op, IndexSpan index, Emission& e) {
  Shape from = ir::shape_of(op.getOperand()), to = ir::shape_of(op.getResult());
  Values from_extents = e.shape(op.getOperand()), to_extents = e.shape(op.getResult());
  auto pick = [](auto all, const std::vector<size_t>& dims) {
    llvm::SmallVector<typename decltype(all)::value_type> picked;
    for (size_t dim : dims)
      picked.push_back(all[dim]);
    return picked;
  };
  Index source(from.size(), Coordinate(e.i64(0)));
  for (const ir::ReshapeGroup& group : ir::reshape_groups(from, to)) {
    std::vector<size_t> given = moving_dims(group.to, to);
    std::vector<size_t> wanted = moving_dims(group.from, from);
    Coordinate number = e.ravel(pick(index, given), pick(ValueSpan(to_extents), given));
    for (auto [dim, place] :
         llvm::zip(wanted, e.unravel(number, pick(ValueSpan(from_extents), wanted))))
      source[dim] = place;
  }
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
