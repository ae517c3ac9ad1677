// kolam.reshape: the same elements in row-major order under another shape.
#include "kolam/space/reshape.h"
#include "kolam/ir/data_dim_rows.h"

#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reshape_groups.h"
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

Shape dims_of(const Shape& shape, const DimRange& range) {
  return Shape(shape.begin() + range.first, shape.begin() + range.first + range.count);
}

/// Where the elements of one group lie, as a map over the group's result dims; nullopt where that
/// takes symbolic strides. The first extents need no numbers: strides do not depend on them, and
/// that both have as many elements is checked at the call.
std::optional<space::AffineMap> group_map(Shape from, Shape to) {
  if (is_static(from) && is_static(to))
    return element_count(from) == element_count(to)
               ? std::optional(space::reshape_map(numbers(from), numbers(to)))
               : std::nullopt;
  if (from.empty() || to.empty())
    return std::nullopt;
  from[0] = to[0] = 1;
  if (!is_static(from) || !is_static(to))
    return std::nullopt;
  return space::compose(space::expand_map(numbers(from)), space::collapse_map(numbers(to)));
}

} // namespace

llvm::LogicalResult ReshapeOp::verify() {
  if (failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")))
    return mlir::failure();
  return without_overflow(*this, [&]() -> llvm::LogicalResult {
    Extent from = element_count(shape_of(getOperand())), to = element_count(shape_of(getResult()));
    if (!surely_differ(from, to))
      return mlir::success();
    return emitOpError("expected a result of ")
           << from.to_string() << " elements, but got " << to.to_string();
  });
}

std::vector<SizePromise> ReshapeOp::size_promises() {
  Extent from = element_count(shape_of(getOperand())), to = element_count(shape_of(getResult()));
  return {{from, to}, {to, from}};
}

space::Signature ReshapeOp::signature() {
  Shape from = shape_of(getOperand()), to = shape_of(getResult());
  int64_t rank = rank_of(getResult());
  space::Projection projection = cells(rank, {});
  auto add = [&](space::AffineRow row, const Extent& size) {
    projection.map.rows.push_back(std::move(row));
    projection.size.push_back(size);
    projection.adjustment.push_back(0);
  };
  bool by_sizes = false; // where an element lies depends on the sizes of the call
  for (const ReshapeGroup& group : reshape_groups(from, to)) {
    Shape group_from = dims_of(from, group.from);
    std::optional<space::AffineMap> map = group_map(group_from, dims_of(to, group.to));
    by_sizes |= !map && !group_from.empty();
    for (size_t dim = 0; dim < group_from.size(); ++dim) {
      if (!map) {
        add(row(rank, {}), group_from[dim]);
        continue;
      }
      space::AffineRow inner = map->rows[dim];
      inner.coefficients.insert(inner.coefficients.begin(), group.to.first, 0);
      inner.coefficients.resize(rank);
      add(std::move(inner), 1);
    }
  }
  return over_result(*this, {by_sizes ? read_anywhere("operand", getOperand(), projection)
                                      : read("operand", getOperand(), projection)});
}

std::vector<space::DataDimTable> ReshapeOp::data_dim_rows(const space::DataDimQuestion&) {
  return {reshaped(*this)};
}

} // namespace kolam::ir
