// Emits prefetches of windows.
#include "kolam/lower/fetch_ahead.h"

#include "kolam/lower/window.h"

#include <algorithm>

namespace kolam::lower {
namespace {

constexpr int64_t kLine = 64;
/// Memory that is on its way: half of the nearest cache has room for it and what is in use.
constexpr int64_t kBytesAhead = 8192;
constexpr int64_t kMostRowsAhead = 32;
/// Of a wider window the processor fetches the rest itself.
constexpr int64_t kMostLines = 8;
/// Of what is smaller most lies in near caches.
constexpr int64_t kNearBytes = int64_t{1} << 19;
/// Taken where the size is not known.
constexpr int64_t kUsualBytes = 256;

/// Bytes of a window that follow one another in memory.
int64_t bytes_in_a_row(ir::GatherOp op) {
  Shape operand = ir::shape_of(op.getOperand()), result = ir::shape_of(op.getResult());
  Extent cells(1);
  for (size_t behind = 1; behind <= operand.size() - op.getBatchedDims(); ++behind) {
    const Extent& length = result[result.size() - behind];
    cells = cells * length;
    if (!(length == operand[operand.size() - behind]))
      break;
  }
  int64_t width = byte_width(ir::dtype_of(op.getOperand()));
  return cells.constant().value_or(kUsualBytes / width) * width;
}

int64_t rows_ahead(ir::GatherOp op) {
  int64_t bytes = std::max<int64_t>(bytes_in_a_row(op), kLine);
  return std::clamp<int64_t>(kBytesAhead / bytes, 1, kMostRowsAhead);
}

/// Whether cells of a value are read from memory, with little arithmetic on the way.
bool is_cheap(Value value, Emission& e) {
  if (e.buffer_of(value))
    return true;
  mlir::Operation* op = value.getDefiningOp();
  auto signed_op = llvm::dyn_cast_if_present<ir::SignedOp>(op);
  if (!signed_op)
    return false;
  space::Signature signature = signed_op.signature();
  bool is_map = llvm::all_of(
      signature.dims, [](const space::IndexDim& dim) { return dim.kind == space::DimKind::map; });
  return is_map && !signature.opaque &&
         llvm::none_of(signature.operands,
                       [](const space::Operand& operand) { return operand.indirect; }) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return is_cheap(operand, e); });
}

/// The batch so many behind `batch`, in row-major order where the dims of the indices join, else
/// along the last dim.
Index later_batch(ir::GatherOp op, IndexSpan batch, int64_t ahead, Emission& e) {
  Values shape = e.shape(op.getIndices());
  shape.pop_back();
  bool joins = op.getBatchedDims() == 0;
  for (size_t dim = 0; dim + 1 < shape.size(); ++dim)
    joins = joins && e.joined.joins(op.getIndices(), static_cast<int64_t>(dim));
  Index later(batch);
  Value place = batch.back().base, count = shape.back();
  if (joins) {
    std::fill(later.begin(), later.end(), Coordinate(e.i64(0)));
    place = e.ravel(batch, shape).base;
    count = e.i64(1);
    for (Value extent : shape)
      count = e.mul(count, extent);
  }
  Value last = e.sub(count, e.i64(1));
  later.back() = mlir::arith::MinSIOp::create(e.b, e.add(place, e.i64(ahead)), last).getResult();
  return later;
}

} // namespace

bool is_fetched_ahead(ir::GatherOp op, Emission& e) {
  Shape operand = ir::shape_of(op.getOperand()), batches = ir::shape_of(op.getIndices());
  batches.pop_back();
  int64_t width = byte_width(ir::dtype_of(op.getOperand()));
  auto known = [](const Shape& shape) { return element_count(shape).constant(); };
  return !batches.empty() && op.getMode() != "wrap" && e.buffer_of(op.getOperand()) &&
         bytes_in_a_row(op) >= kLine && known(operand).value_or(kNearBytes) * width >= kNearBytes &&
         known(batches).value_or(INT64_MAX) > 2 * rows_ahead(op) && is_cheap(op.getIndices(), e);
}

void emit_fetch_ahead(ir::GatherOp op, IndexSpan batch, Emission& e) {
  Index later = later_batch(op, batch, rows_ahead(op), e);
  size_t batched = op.getBatchedDims();
  Values shape = e.shape(op.getOperand());
  Index first(IndexSpan(later).take_front(batched));
  first.append(shape.size() - batched, Coordinate(e.i64(0)));
  for (auto [dim, place] : llvm::zip(op.getDims(), emit_places(op.getIndices(), later, e)))
    first[batched + dim] = place;
  int64_t width = byte_width(ir::dtype_of(op.getOperand()));
  Value start = e.mul(e.ravel(first, shape).base, e.i64(width));
  int64_t bytes = std::min(bytes_in_a_row(op), kMostLines * kLine);
  for (int64_t offset = 0; offset < bytes; offset += kLine) {
    Value address = e.advanced(e.buffer_of(op.getOperand()), e.add(start, e.i64(offset)));
    mlir::LLVM::Prefetch::create(e.b, address, /*rw=*/0, /*hint=*/3, /*cache=*/1);
  }
}

} // namespace kolam::lower
