// Turns the maps of strided operands into values of the call.
#include "kolam/lower/strided.h"

#include "kolam/ir/ops.h"
#include "kolam/lower/clipped_starts.h"
#include "kolam/lower/window.h"

namespace kolam::lower {
namespace {

std::optional<Strided> values_of(const std::optional<nest::StridedRead>& read, Emission& e) {
  if (!read)
    return std::nullopt;
  Strided result{e.buffer_of(read->buffer), ir::dtype_of(read->value), e.i64(0), {}};
  if (const space::Layout* layout = e.nest().layout_of(read->value))
    result.start = e.extent(layout->offset);
  for (int input = 0; input < read->map.input_rank; ++input)
    result.strides.push_back(e.extent(read->stride(input)));
  for (auto [row, step] : llvm::zip(read->map.rows, read->steps)) {
    if (!space::is_affine(row))
      result.quotients.push_back({row, e.extent(step)});
    else if (!(row.offset == Extent(0)))
      result.start = e.add(result.start, e.mul(e.extent(step), e.extent(row.offset)));
  }
  for (const nest::WindowInputs& window : read->windows) {
    auto steps = ValueSpan(result.strides).drop_front(window.first_input);
    if (auto slice = llvm::dyn_cast<ir::DynamicSliceOp>(window.op)) {
      Index starts = clipped_starts(slice, slice.getStarts(), ir::shape_of(slice.getOperand()),
                                    ir::shape_of(slice.getResult()), e);
      for (auto [start, stride] : llvm::zip_first(starts, steps))
        result.start = e.add(result.start, e.mul(start.base, stride));
      continue;
    }
    size_t count = llvm::cast<ir::GatherOp>(window.op).getDims().size();
    result.windows.push_back({window.op, window.batch, Values(steps.take_front(count))});
  }
  result.strides.resize(read->rank);
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
  return values_of(nest::strided_operand(op, operand, fixed, e.nest(), e.joined), e);
}

std::optional<Strided> strided_elements(Value value, int fixed, Emission& e) {
  return values_of(nest::strided_elements(value, fixed, e.nest(), e.joined), e);
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
