// Composes the affine maps between an op's index and memory.
#include "kolam/lower/strided.h"

#include "kolam/analysis/views.h"
#include "kolam/ir/reshape_groups.h"
#include "kolam/lower/clipped_starts.h"
#include "kolam/lower/window.h"
#include "kolam/nest/fusion.h"

namespace kolam::lower {
namespace {

/// The buffer that holds the elements of a value in its order: its own, or that of a row-major
/// value it reshapes.
Value flat_buffer_of(Value value, Emission& e) {
  for (bool is_own = true;; is_own = false) {
    if (Value buffer = e.buffer_of(value))
      return is_own || !e.nest().layout_of(value) ? buffer : Value();
    mlir::Operation* op = value.getDefiningOp();
    if (!op || !nest::keeps_order(op))
      return {};
    value = op->getOperand(0);
  }
}

/// A reshape as a view without quotients: dims of its operand that it parts may be counted through,
/// their element (i, j) is asked for at (0, i n + j).
std::optional<space::AffineMap> view_counting_through(ir::ReshapeOp op, Emission& e) {
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
      if (!e.joined.joins(op.getOperand(), static_cast<int64_t>(dim)))
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
std::optional<space::AffineMap> view_of_reshape(ir::ReshapeOp op, Emission& e) {
  if (auto view = view_counting_through(op, e))
    return view;
  space::Signature signature = llvm::cast<ir::SignedOp>(*op).signature();
  const space::Operand& operand = signature.operands[0];
  return operand.indirect ? std::nullopt : std::optional(operand.projection.map);
}

/// An op whose windows have been entered, and the input of the map that is the first window's
/// start.
struct Entered {
  mlir::Operation* op;
  space::AffineMap batch; ///< of a gather
  int first_input;
};

/// Adds an input, a window's start, to a row of places in a window of that extent; false where the
/// row is a quotient.
bool add_start(space::AffineRow& row, int input, const Extent& extent) {
  if (extent == Extent(1)) // whatever the row says, the place is 0
    row = {std::vector<int64_t>(row.coefficients.size()), Extent(0)};
  row.coefficients[input] = 1;
  return space::is_affine(row);
}

/// Goes on from the result of a dynamic_slice to its operand: starts become further inputs.
std::optional<Entered> enter_slice(ir::DynamicSliceOp slice, space::AffineMap& map) {
  Entered entered{slice, {}, map.input_rank};
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
std::optional<Entered> enter_windows(ir::GatherOp gather, space::AffineMap& map, int fixed) {
  size_t batched = gather.getBatchedDims(), batch_rank = ir::rank_of(gather.getIndices()) - 1;
  auto rows = llvm::ArrayRef(map.rows);
  if (!llvm::all_of(rows.take_front(batch_rank),
                    [&](const space::AffineRow& row) { return is_fixed(row, fixed); }))
    return std::nullopt;
  Entered entered{gather, {map.input_rank, rows.take_front(batch_rank).vec()}, map.input_rank};
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
std::optional<Strided> strided_through(space::AffineMap map, Value value, int fixed, Emission& e) {
  Value buffer;
  auto index_rank = static_cast<size_t>(map.input_rank);
  if (!is_affine_from(map, fixed))
    return std::nullopt;
  std::vector<Entered> windows;
  while (!(buffer = flat_buffer_of(value, e))) {
    mlir::Operation* producer = value.getDefiningOp();
    if (auto slice = llvm::dyn_cast_if_present<ir::DynamicSliceOp>(producer)) {
      auto entered = enter_slice(slice, map);
      if (!entered)
        return std::nullopt;
      windows.push_back(*entered);
    } else if (producer && analysis::is_view_by_data(producer)) {
      auto entered = enter_windows(llvm::cast<ir::GatherOp>(producer), map, fixed);
      if (!entered)
        return std::nullopt;
      windows.push_back(*entered);
    } else {
      auto view = producer ? analysis::view_of_operand(producer) : std::nullopt;
      if (auto reshape = llvm::dyn_cast_if_present<ir::ReshapeOp>(producer); reshape && !view)
        view = view_of_reshape(reshape, e);
      auto composed = view ? space::try_compose(*view, map) : std::nullopt;
      if (!composed || !is_affine_from(*composed, fixed))
        return std::nullopt;
      map = *composed;
    }
    value = producer->getOperand(0);
  }

  Strided result{buffer, ir::dtype_of(value), e.i64(0), Values(map.input_rank, e.i64(0))};
  if (const space::Layout* layout = e.nest().layout_of(value))
    result.start = e.extent(layout->offset);
  Values steps_of_dims = e.strides_of(value); // between neighbours along a dim of the tensor
  for (size_t dim = map.rows.size(); dim-- > 0;) {
    const space::AffineRow& row = map.rows[dim];
    Value step = steps_of_dims[dim];
    if (!space::is_affine(row)) {
      result.quotients.push_back({row, step});
      continue;
    }
    for (auto [stride, coefficient] : llvm::zip(result.strides, row.coefficients))
      if (coefficient != 0)
        stride = e.add(stride, e.mul(step, e.i64(coefficient)));
    if (!(row.offset == Extent(0)))
      result.start = e.add(result.start, e.mul(step, e.extent(row.offset)));
  }
  for (const Entered& entered : windows) {
    auto steps = ValueSpan(result.strides).drop_front(entered.first_input);
    if (auto slice = llvm::dyn_cast<ir::DynamicSliceOp>(entered.op)) {
      Index starts = clipped_starts(slice, slice.getStarts(), ir::shape_of(slice.getOperand()),
                                    ir::shape_of(slice.getResult()), e);
      for (auto [start, stride] : llvm::zip_first(starts, steps))
        result.start = e.add(result.start, e.mul(start.base, stride));
      continue;
    }
    size_t count = llvm::cast<ir::GatherOp>(entered.op).getDims().size();
    result.windows.push_back({entered.op, entered.batch, Values(steps.take_front(count))});
  }
  result.strides.resize(index_rank);
  return result;
}

/// The image of an index, which may leave out the last inputs, which are 0 then.
Value emit_row(const space::AffineRow& row, ValueSpan index, Emission& e) {
  Value place = e.extent(row.offset);
  for (auto [i, coefficient] : llvm::zip(index, row.coefficients))
    if (coefficient != 0)
      place = e.add(place, e.mul(i, e.i64(coefficient)));
  if (row.divisor != 1)
    place = e.b.createOrFold<mlir::arith::DivUIOp>(place, e.i64(row.divisor));
  if (row.modulus != 0)
    place = e.b.createOrFold<mlir::arith::RemUIOp>(place, e.i64(row.modulus));
  return place;
}

/// How many elements further the windows at an index are than those at 0.
Value window_offset(const WindowSteps& windows, ValueSpan index, Emission& e) {
  auto gather = llvm::cast<ir::GatherOp>(windows.gather);
  size_t batched = gather.getBatchedDims(), batch_rank = windows.batch.rows.size();
  Index batch;
  for (const space::AffineRow& row : windows.batch.rows)
    batch.push_back(emit_row(row, index, e));
  Values extents = e.shape(gather.getOperand()), lengths = e.shape(gather.getResult());
  Values places =
      e.once_at(gather, batch, [&] { return emit_places(gather.getIndices(), batch, e); });
  WindowStart starts =
      window_start(places, gather.getDims(), ValueSpan(extents).drop_front(batched),
                   ValueSpan(lengths).drop_front(batch_rank), e);
  Index clipped = emit_clip_start(starts, gather.getDims(), e);
  Value offset = e.i64(0);
  for (auto [dim, step] : llvm::zip(gather.getDims(), windows.steps))
    offset = e.add(offset, e.mul(clipped[dim].base, step));
  return offset;
}

} // namespace

std::optional<Strided> strided_operand(mlir::Operation* op, unsigned operand, int fixed,
                                       Emission& e) {
  auto signed_op = llvm::cast<ir::SignedOp>(op);
  return strided_through(signed_op.signature().operands[operand].projection.map,
                         op->getOperand(operand), fixed, e);
}

std::optional<Strided> strided_cells(Value value, int fixed, Emission& e) {
  return strided_through(space::identity_map(static_cast<int>(ir::rank_of(value))), value, fixed,
                         e);
}

bool Strided::has_jumps(size_t dim) const {
  auto depends = [&](const space::AffineRow& row) { return row.coefficients[dim] != 0; };
  return llvm::any_of(quotients, [&](const QuotientSteps& q) { return depends(q.row); }) ||
         llvm::any_of(windows,
                      [&](const WindowSteps& w) { return llvm::any_of(w.batch.rows, depends); });
}

Value cell_number(const Strided& cells, ValueSpan index, Emission& e) {
  Value number = cells.start;
  for (auto [i, stride] : llvm::zip(index, cells.strides))
    if (constant_of(stride) != 0)
      number = e.add(number, e.mul(i, stride));
  for (const QuotientSteps& quotient : cells.quotients)
    number = e.add(number, e.mul(emit_row(quotient.row, index, e), quotient.step));
  for (const WindowSteps& windows : cells.windows)
    number = e.add(number, window_offset(windows, index, e));
  return number;
}

} // namespace kolam::lower
