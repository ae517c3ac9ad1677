// Elements of kolam.reshape: coordinates change only within groups of dims of equal products.
#include "kolam/ir/reshape_groups.h"
#include "kolam/lower/in_rows.h"
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
  // Of the groups of dims the one whose lanes may lie in two rows.
  struct InRows {
    Coordinate number;
    std::vector<size_t> dims;
    Values extents;
  };
  std::optional<InRows> in_rows;
  auto put = [&](const std::vector<size_t>& dims, IndexSpan places) {
    for (auto [dim, place] : llvm::zip(dims, places))
      source[dim] = place;
  };
  for (const ir::ReshapeGroup& group : ir::reshape_groups(from, to)) {
    std::vector<size_t> given = moving_dims(group.to, to);
    std::vector<size_t> wanted = moving_dims(group.from, from);
    Coordinate number = e.ravel(pick(index, given), pick(ValueSpan(to_extents), given));
    if (!wanted.empty() && joins(op.getOperand(), wanted.front(), wanted.back(), e)) {
      source[wanted.back()] = number;
      continue;
    }
    Values extents = pick(ValueSpan(from_extents), wanted);
    if (!in_rows && may_lie_in_two_rows(number, extents, e))
      in_rows = {number, wanted, extents};
    else
      put(wanted, e.unravel(number, extents));
  }
  if (!in_rows)
    return {e.cell(op.getOperand(), source)};
  return emit_in_rows(
      in_rows->number, in_rows->extents,
      [&](IndexSpan places) {
        put(in_rows->dims, places);
        return Values{e.cell(op.getOperand(), source)};
      },
      e);
}

} // namespace kolam::lower
