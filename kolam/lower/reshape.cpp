// Elements of kolam.reshape: coordinates change only within groups of dims of equal products.
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

bool joins(Value value, size_t first, size_t last, Emission& e) {
  for (size_t dim = first; dim < last; ++dim)
    if (!e.joined.joins(value, static_cast<int64_t>(dim)))
      return false;
  return true;
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
    if (!wanted.empty() && joins(op.getOperand(), wanted.front(), wanted.back(), e)) {
      source[wanted.back()] = number;
      continue;
    }
    for (auto [dim, place] :
         llvm::zip(wanted, e.unravel(number, pick(ValueSpan(from_extents), wanted))))
      source[dim] = place;
  }
  return {e.cell(op.getOperand(), source)};
}

} // namespace kolam::lower
