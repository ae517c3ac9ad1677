// kolam.reshape: the same cells in row-major order under another shape.
#include "kolam/space/reshape.h"

#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {
namespace {

bool is_static(const Shape& shape) {
  return llvm::all_of(shape, [](const Extent& extent) { return extent.is_constant(); });
}

space::Point numbers(const Shape& shape) {
  space::Point result;
  for (const Extent& extent : shape)
    result.push_back(*extent.constant());
  return result;
}

/// The dims that both shapes begin and end with; those between are what changes.
struct Kept {
  size_t leading = 0, trailing = 0;
};

Kept kept_dims(const Shape& from, const Shape& to) {
  Kept kept;
  size_t shorter = std::min(from.size(), to.size());
  while (kept.leading < shorter && from[kept.leading] == to[kept.leading])
    ++kept.leading;
  while (kept.leading + kept.trailing < shorter &&
         from[from.size() - 1 - kept.trailing] == to[to.size() - 1 - kept.trailing])
    ++kept.trailing;
  return kept;
}

Shape middle(const Shape& shape, const Kept& kept) {
  return Shape(shape.begin() + kept.leading, shape.end() - kept.trailing);
}

} // namespace

llvm::LogicalResult ReshapeOp::verify() {
  if (failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")))
    return mlir::failure();
  return without_overflow(*this, [&]() -> llvm::LogicalResult {
    Extent from = element_count(shape_of(getOperand())), to = element_count(shape_of(getResult()));
    if (!surely_differ(from, to))
      return mlir::success();
    return emitOpError("expected a result of ") << from.to_string() << " cells, but got "
                                                << to.to_string();
  });
}

space::Signature ReshapeOp::signature() {
  Shape from = shape_of(getOperand()), to = shape_of(getResult());
  int64_t rank = rank_of(getResult());
  Kept kept = kept_dims(from, to);
  Shape from_middle = middle(from, kept), to_middle = middle(to, kept);
  bool exact = is_static(from_middle) && is_static(to_middle) &&
               element_count(from_middle) == element_count(to_middle);

  space::Projection projection = cells(rank, {});
  auto add = [&](space::AffineRow row, const Extent& size) {
    projection.map.rows.push_back(std::move(row));
    projection.size.push_back(size);
    projection.adjustment.push_back(0);
  };
  for (size_t dim = 0; dim < kept.leading; ++dim)
    add(row(rank, {{static_cast<int64_t>(dim)}}), 1);
  if (exact) {
    for (space::AffineRow inner : space::reshape_map(numbers(from_middle), numbers(to_middle)).rows) {
      inner.coefficients.insert(inner.coefficients.begin(), kept.leading, 0);
      inner.coefficients.insert(inner.coefficients.end(), kept.trailing, 0);
      add(std::move(inner), 1);
    }
  } else {
    // Where a cell lies depends on the sizes of the call.
    for (const Extent& extent : from_middle)
      add(row(rank, {}), extent);
  }
  for (size_t dim = to.size() - kept.trailing; dim < to.size(); ++dim)
    add(row(rank, {{static_cast<int64_t>(dim)}}), 1);
  bool indirect = !exact && !from_middle.empty();
  return over_result(*this, {indirect ? read_anywhere("operand", getOperand(), projection)
                                      : read("operand", getOperand(), projection)});
}

} // namespace kolam::ir
