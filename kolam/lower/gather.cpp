// Elements of kolam.gather: a load, or a producer's element, at a place read from the indices.
#include "kolam/analysis/neighbour_steps.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/lower/window.h"
#include "kolam/nest/segments.h"
#include "kolam/support/elementwise_code.h"
#include "kolam/support/scalar/integer.h"

#include <limits>

namespace kolam::lower {
namespace {

/// What mode `fill` gives: NaN, the lowest integer, the highest unsigned, true.
Value fill_value(DType dtype, Emission& e) {
  if (dtype == DType::f32 || dtype == DType::f64)
    return e.constant(dtype, std::numeric_limits<double>::quiet_NaN());
  int width = 8 * byte_width(dtype);
  int64_t bits = dtype == DType::f16        ? 0x7e00
                 : dtype == DType::bf16     ? 0x7fc0
                 : is_signed_integer(dtype) ? std::numeric_limits<int64_t>::min() >> (64 - width)
                                            : -1;
  return mlir::arith::ConstantIntOp::create(e.b, register_type(e.b.getContext(), dtype), bits);
}

/// Whether no window has to be moved.
bool lie_inside(ir::GatherOp op) {
  if (ir::SegmentIdsOp ids = nest::ids_of_rows(op))
    if (ir::shape_of(ids.getOffsets())[0] == ir::shape_of(op.getOperand())[0] + Extent(1))
      return true; // a row for each segment
  Shape extents = ir::shape_of(op.getOperand()), window = ir::shape_of(op.getResult());
  extents.erase(extents.begin(), extents.begin() + op.getBatchedDims());
  window.erase(window.begin(), window.begin() + ir::rank_of(op.getIndices()) - 1);
  return surely_lie_inside(op.getIndices(), op.getDims(), extents, window);
}

FarWindows windows_of(ir::GatherOp op, Emission& e) {
  Shape result = ir::shape_of(op.getResult());
  if (int64_t batch_dims = ir::rank_of(op.getIndices()) - 1)
    result.erase(result.begin(), result.begin() + batch_dims);
  return {e.buffer_of(op.getOperand()),
          ir::dtype_of(op.getOperand()),
          ir::shape_of(op.getOperand()),
          result,
          op.getIndices(),
          op.getDims(),
          static_cast<size_t>(op.getBatchedDims())};
}

/// Where the windows of a batch start, modulo the extents.
Values emit_wrapped_starts(ir::GatherOp op, IndexSpan batch, ValueSpan extents, Emission& e) {
  ScalarBuilder s(e.b);
  DType dtype = ir::dtype_of(op.getIndices());
  Index at(batch);
  at.push_back({});
  Values starts;
  for (auto [column, dim] : llvm::enumerate(op.getDims())) {
    at.back() = e.i64(static_cast<int64_t>(column));
    Value start = cast<ScalarBuilder, Value>(s, dtype, DType::i64, e.cell(op.getIndices(), at));
    starts.push_back(dtype == DType::u64
                         ? scalar::floor_division<DType::u64>(s, start, extents[dim]).remainder
                         : scalar::floor_division<DType::i64>(s, start, extents[dim]).remainder);
  }
  return starts;
}

/// start + offset modulo the extent.
Coordinate emit_wrapped(Value start, const Coordinate& offset, Value extent, Emission& e) {
  ScalarBuilder s(e.b);
  Value place = s.iadd(start, e.value(offset));
  return Coordinate::of(s.select(s.sge(place, extent), s.isub(place, extent), place));
}

/// The indices of a column: [batches...], or [batches..., 1].
Value column_of(ir::GatherOp op, size_t column) {
  if (op.getDims().size() == 1)
    return op.getIndices();
  auto columns = op.getIndices().getDefiningOp<ir::ConcatOp>();
  const bool are_columns =
      columns && static_cast<int64_t>(columns.getDim()) == ir::rank_of(op.getIndices()) - 1 &&
      columns.getOperands().size() == op.getDims().size();
  return are_columns ? columns.getOperands()[column] : Value();
}

/// Single elements of memory along its last dim, at places that mostly follow one another.
struct Run {
  Coordinate* lanes; ///< the batch's place that differs between lanes
  size_t column;     ///< of the indices, along the last dim
  int64_t step;      ///< from lane to lane
};

/// Nullopt where neighbours are not known to be neighbours, or lie in rows already.
std::optional<Run> run_of(ir::GatherOp op, Index& batch, IndexSpan offset, Emission& e) {
  auto differs = [](const Coordinate& place) { return !place.is_uniform(); };
  auto* moving = llvm::find_if(batch, differs);
  const auto last = static_cast<int64_t>(offset.size()) - 1;
  if (e.lanes() == 1 || e.active() || moving == batch.end() || moving->lanes ||
      llvm::count_if(batch, differs) != 1 || llvm::any_of(offset, differs) ||
      moving - batch.begin() < static_cast<int64_t>(op.getBatchedDims()) ||
      op.getMode() == "wrap" || !e.buffer_of(op.getOperand()))
    return std::nullopt;
  std::optional<Run> run;
  for (auto [column, dim] : llvm::enumerate(op.getDims())) {
    Value indices = column_of(op, column);
    std::optional<int64_t> step =
        indices ? analysis::neighbour_step(indices, moving - batch.begin()) : std::nullopt;
    if (!step || (dim != last && *step != 0))
      return std::nullopt;
    if (dim == last)
      run = Run{moving, column, *step * moving->stride};
  }
  return run && std::abs(run->step) == 1 ? run : std::nullopt;
}

/// The element of an offset at whatever places the indices of the batch say.
Value emit_each(ir::GatherOp op, IndexSpan batch, IndexSpan offset, ValueSpan extents,
                ValueSpan window, llvm::function_ref<Value(const Index&, const WindowStart&)> load,
                Emission& e) {
  bool is_run = !offset.empty() && !offset.back().is_uniform();
  Values starts = e.once_at(op, batch, [&] {
    if (is_run)
      e.window_comes(windows_of(op, e), batch);
    return emit_places(op.getIndices(), batch, e);
  });
  WindowStart places = window_start(starts, op.getDims(), extents, window, e);
  return load(lie_inside(op) ? places.start : emit_clip_start(places, op.getDims(), e), places);
}

/// Asks the places of the first and the last lane whether all are a run.
Values emit_run(ir::GatherOp op, const Run& run, Index& batch, ValueSpan extents, ValueSpan window,
                llvm::function_ref<Value(const Index&, const WindowStart&)> load,
                llvm::function_ref<Values()> gather, Emission& e) {
  using mlir::arith::CmpIPredicate;
  const Coordinate lanes = *run.lanes;
  auto places = [&](int64_t lane) {
    *run.lanes = e.add(lanes.base, e.i64(lane * lanes.stride));
    return emit_places(op.getIndices(), batch, e);
  };
  Values first = places(0), last = places(e.lanes() - 1);
  *run.lanes = lanes;
  ScalarBuilder s(e.b);
  WindowStart start = window_start(first, op.getDims(), extents, window, e);
  Value from = first[run.column], to = last[run.column], most = start.last.back();
  Value least = run.step > 0 ? from : to, greatest = run.step > 0 ? to : from;
  Value is_run = s.and_(e.compare(CmpIPredicate::eq, e.sub(greatest, least), e.i64(e.lanes() - 1)),
                        s.and_(e.compare(CmpIPredicate::sge, least, e.i64(0)),
                               e.compare(CmpIPredicate::sle, greatest, most)));
  return e.choose_way(
      is_run,
      [&] {
        start.start.back() = e.i64(0);
        Index at = emit_clip_start(start, op.getDims(), e);
        at.back() = Coordinate::progression(from, run.step);
        return Values{load(at, start)};
      },
      gather);
}

} // namespace

Values emit_cells(ir::GatherOp op, IndexSpan index, Emission& e) {
  ScalarBuilder s(e.b);
  size_t batched = op.getBatchedDims(), batch_rank = ir::rank_of(op.getIndices()) - 1;
  IndexSpan batch = index.take_front(batch_rank), offset = index.drop_front(batch_rank);
  Values shape = e.shape(op.getOperand()), result_shape = e.shape(op.getResult());
  ValueSpan extents = ValueSpan(shape).drop_front(batched);
  ValueSpan window = ValueSpan(result_shape).drop_front(batch_rank);
  llvm::ArrayRef<int64_t> dims = op.getDims();

  Index source(batch.take_front(batched));
  if (op.getMode() == "wrap") {
    source.append(offset.begin(), offset.end());
    Values starts = e.once_at(op, batch, [&] { // in front of this place: with its own extents
      Values early = e.shape(op.getOperand());
      return emit_wrapped_starts(op, batch, ValueSpan(early).drop_front(batched), e);
    });
    for (auto [start, dim] : llvm::zip(starts, dims))
      source[batched + dim] = emit_wrapped(start, offset[dim], extents[dim], e);
    return {e.cell(op.getOperand(), source)};
  }
  const bool are_inside = lie_inside(op);
  // Of what has memory: elements computed on the way would stand in the code twice.
  auto cell_at = [&](const Index& start, const WindowStart& places) -> Value {
    Index at(source);
    for (auto [place, o] : llvm::zip(start, offset))
      at.push_back(e.add(place, o));
    Value cell = e.cell(op.getOperand(), at);
    if (op.getMode() == "fill" && !are_inside)
      cell = s.select(emit_is_inside(places, dims, e), cell,
                      fill_value(ir::dtype_of(op.getOperand()), e));
    return cell;
  };
  auto each = [&] { return Values{emit_each(op, batch, offset, extents, window, cell_at, e)}; };
  Index at_batch(batch);
  if (std::optional<Run> run = run_of(op, at_batch, offset, e))
    return emit_run(op, *run, at_batch, extents, window, cell_at, each, e);
  return each();
}

} // namespace kolam::lower
