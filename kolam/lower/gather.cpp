// Elements of kolam.gather: a load, or a producer's element, at a place read from the indices.
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
  bool is_run = !offset.empty() && !offset.back().is_uniform();
  Values starts = e.once_at(op, batch, [&] {
    if (is_run)
      e.window_comes(windows_of(op, e), batch);
    return emit_places(op.getIndices(), batch, e);
  });
  WindowStart places = window_start(starts, dims, extents, window, e);
  const bool are_inside = lie_inside(op);
  for (auto [start, o] :
       llvm::zip(are_inside ? places.start : emit_clip_start(places, dims, e), offset))
    source.push_back(e.add(start, o));
  Value cell = e.cell(op.getOperand(), source);
  if (op.getMode() == "fill" && !are_inside)
    cell = s.select(emit_is_inside(places, dims, e), cell,
                    fill_value(ir::dtype_of(op.getOperand()), e));
  return {cell};
}

} // namespace kolam::lower
