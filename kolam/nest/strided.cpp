// Composes the affine maps between an op's index and memory.
#include "kolam/nest/strided.h"

#include "kolam/analysis/views.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reshape_groups.h"
#include "kolam/nest/fusion.h"

namespace kolam::nest {
namespace {

/// The buffer that holds the elements of a value in its order: its own, or that of a row-major
/// value it reshapes.
mlir::Value flat_buffer_of(mlir::Value value, const Nest& nest) {
  for (bool is_own = true;; is_own = false) {
    if (llvm::is_contained(nest.inputs, value))
      return is_own || !nest.layout_of(value) ? value : mlir::Value();
    mlir::Operation* op = value.getDefiningOp();
    if (!op || !keeps_order(op))
      return {};
    value = op->getOperand(0);
  }
}

/// A reshape as a view without quotients: dims of its operand that it parts may be counted through,
/// their element (i, j) is asked for at (0, i n + j).
std::optional<space::AffineMap> view_counting_through(ir::ReshapeOp op, JoinedDims& joined) {
  Shape from = ir::shape_of(op.getOperand()), to = ir::shape_of(op.getResult());
  auto rank = static_cast<int>(to.size());
  space::AffineMap view{
      rank, std::vector(from.size(), space::AffineRow{std::vector<int64_t>(rank), Extent(0)})};
  for (const ir::ReshapeGroup& group : ir::reshape_groups(from, to)) {
    size_t last = group.from.first + group.from.count;
    while (last > group.from.first && from[last - 1] == Extent(1))
      --last;
    if (last == group.from.first)
      continue;
    for (size_t dim = group.from.first; dim + 1 < last; ++dim)
      if (!joined.joins(op.getOperand(), static_cast<int64_t>(dim)))
        return std::nullopt;
    int64_t step = 1;
    for (size_t dim = group.to.first + group.to.count; dim-- > group.to.first;) {
      view.rows[last - 1].coefficients[dim] = step;
      std::optional<int64_t> extent = to[dim].constant();
      if (dim > group.to.first && !extent)
        return std::nullopt;
      step *= extent.value_or(1);
    }
  }
  return view;
}

/// Where a reshape's elements lie in its operand; nullopt where sizes of the call decide.
std::optional<space::AffineMap> view_of_reshape(ir::ReshapeOp op, JoinedDims& joined) {
  if (auto view = view_counting_through(op, joined))
    return view;
  space::Signature signature = llvm::cast<ir::SignedOp>(*op).signature();
  const space::Operand& operand = signature.operands[0];
  return operand.indirect ? std::nullopt : std::optional(operand.projection.map);
}

/// Adds an input, a window's start, to a row of places in a window of that extent; false where the
/// row is a quotient.
bool add_start(space::AffineRow& row, int input, const Extent& extent) {
  if (extent == Extent(1)) // whatever the row says, the place is 0
    row = {std::vector<int64_t>(row.coefficients.size()), Extent(0)};
  row.coefficients[input] = 1;
  return space::is_affine(row);
}

/// Goes on from the result of a dynamic_slice to its operand: starts become further inputs.
std::optional<WindowInputs> enter_slice(ir::DynamicSliceOp slice, space::AffineMap& map) {
  WindowInputs entered{slice, {}, map.input_rank};
  Shape from = ir::shape_of(slice.getOperand()), window = ir::shape_of(slice.getResult());
  map.input_rank += static_cast<int>(map.rows.size());
  for (auto [dim, row] : llvm::enumerate(map.rows)) {
    row.coefficients.resize(map.input_rank);
    bool is_whole = from[dim] == window[dim]; // and starts at 0
    int input = entered.first_input + static_cast<int>(dim);
    if (!is_whole && !add_start(row, input, window[dim]))
      return std::nullopt;
  }
  return entered;
}

/// Whether a row does not depend on inputs from `fixed` on.
bool is_fixed(const space::AffineRow& row, int fixed) {
  return llvm::all_of(llvm::ArrayRef(row.coefficients).drop_front(fixed),
                      [](int64_t coefficient) { return coefficient == 0; });
}

/// Whether all rows are affine but for those that do not depend on inputs from `fixed` on.
bool is_affine_from(const space::AffineMap& map, int fixed) {
  return llvm::all_of(map.rows, [&](const space::AffineRow& row) {
    return space::is_affine(row) || is_fixed(row, fixed);
  });
}

/// Goes on from a gather's result to its operand: starts of windows become further inputs.
std::optional<WindowInputs> enter_windows(ir::GatherOp gather, space::AffineMap& map, int fixed) {
  size_t batched = gather.getBatchedDims(), batch_rank = ir::rank_of(gather.getIndices()) - 1;
  auto rows = llvm::ArrayRef(map.rows);
  if (!llvm::all_of(rows.take_front(batch_rank),
                    [&](const space::AffineRow& row) { return is_fixed(row, fixed); }))
    return std::nullopt;
  WindowInputs entered{gather, {map.input_rank, rows.take_front(batch_rank).vec()}, map.input_rank};
  std::vector<space::AffineRow> next = rows.take_front(batched).vec();
  llvm::append_range(next, rows.drop_front(batch_rank));
  map = {map.input_rank + static_cast<int>(gather.getDims().size()), next};
  for (space::AffineRow& row : map.rows)
    row.coefficients.resize(map.input_rank);
  Shape window = ir::shape_of(gather.getResult());
  for (auto [number, dim] : llvm::enumerate(gather.getDims()))
    if (int input = entered.first_input + static_cast<int>(number);
        !add_start(map.rows[batched + dim], input, window[batch_rank + dim]))
      return std::nullopt;
  return entered;
}

/// The elements of a value, as a map reaches them; of its inputs those from `fixed` on move no
/// window.
std::optional<StridedRead> strided_through(space::AffineMap map, mlir::Value value, int fixed,
                                           const Nest& nest, JoinedDims& joined) {
  StridedRead read;
  read.rank = map.input_rank;
  if (!is_affine_from(map, fixed))
    return std::nullopt;
  while (!(read.buffer = flat_buffer_of(value, nest))) {
    mlir::Operation* producer = value.getDefiningOp();
    bool is_slice = llvm::isa_and_present<ir::DynamicSliceOp>(producer);
    if (is_slice || (producer && analysis::is_view_by_data(producer))) {
      auto entered = is_slice ? enter_slice(llvm::cast<ir::DynamicSliceOp>(producer), map)
                              : enter_windows(llvm::cast<ir::GatherOp>(producer), map, fixed);
      if (!entered)
        return std::nullopt;
      read.windows.push_back(*entered);
    } else {
      auto view = producer ? analysis::view_of_operand(producer) : std::nullopt;
      if (auto reshape = llvm::dyn_cast_if_present<ir::ReshapeOp>(producer); reshape && !view)
        view = view_of_reshape(reshape, joined);
      auto composed = view ? space::try_compose(*view, map) : std::nullopt;
      if (!composed || !is_affine_from(*composed, fixed))
        return std::nullopt;
      map = *composed;
    }
    value = producer->getOperand(0);
  }
  read.value = value;
  const space::Layout* layout = nest.layout_of(value);
  read.steps = layout ? layout->strides : space::row_major(ir::shape_of(value)).strides;
  for (space::AffineRow& row : map.rows)
    row.coefficients.resize(map.input_rank);
  read.map = std::move(map);
  return read;
}

} // namespace

std::optional<StridedRead> strided_operand(mlir::Operation* op, unsigned operand, int fixed,
                                           const Nest& nest, JoinedDims& joined) {
  space::Signature signature = llvm::cast<ir::SignedOp>(op).signature();
  return strided_through(signature.operands[operand].projection.map, op->getOperand(operand), fixed,
                         nest, joined);
}

std::optional<StridedRead> strided_elements(mlir::Value value, int fixed, const Nest& nest,
                                            JoinedDims& joined) {
  return strided_through(space::identity_map(static_cast<int>(ir::rank_of(value))), value, fixed,
                         nest, joined);
}

Extent StridedRead::stride(int input) const {
  Extent stride = 0;
  for (auto [row, step] : llvm::zip(map.rows, steps))
    if (space::is_affine(row) && row.coefficients[input] != 0)
      stride = stride + step * Extent(row.coefficients[input]);
  return stride;
}

} // namespace kolam::nest
