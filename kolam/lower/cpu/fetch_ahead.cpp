// Emits prefetches of windows.
#include "kolam/lower/cpu/fetch_ahead.h"

#include "kolam/lower/window.h"

#include <algorithm>

namespace kolam::lower::cpu {
namespace {

/// Assumed where the size is not known.
constexpr int64_t kUsualBytes = 256;

int64_t bytes_in_a_row(const FarWindows& windows) {
  int64_t width = byte_width(windows.dtype);
  return cells_in_a_row(windows).constant().value_or(kUsualBytes / width) * width;
}

int64_t rows_ahead(const FarWindows& windows, const Caches& caches) {
  int64_t bytes = std::max<int64_t>(bytes_in_a_row(windows), caches.line);
  return std::clamp<int64_t>(caches.ahead / bytes, 1, caches.ahead_rows);
}

/// Whether elements of a value are read from memory, with little arithmetic on the way.
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
Index later_batch(const FarWindows& windows, IndexSpan batch, Emission& e) {
  Values shape = e.shape(windows.indices);
  shape.pop_back();
  bool joins = windows.batched == 0;
  for (size_t dim = 0; dim + 1 < shape.size(); ++dim)
    joins = joins && e.joined.joins(windows.indices, static_cast<int64_t>(dim));
  Index later(batch);
  Value place = batch.back().base, count = shape.back();
  if (joins) {
    std::fill(later.begin(), later.end(), Coordinate(e.i64(0)));
    place = e.ravel(batch, shape).base;
    count = e.i64(1);
    for (Value extent : shape)
      count = e.mul(count, extent);
  }
  Value last = e.sub(count, e.i64(1)),
        next = e.add(place, e.i64(rows_ahead(windows, e.machine.caches)));
  later.back() = mlir::arith::MinSIOp::create(e.b, next, last).getResult();
  return later;
}

} // namespace

Extent cells_in_a_row(const FarWindows& windows) {
  Extent cells(1);
  for (size_t behind = 1; behind <= windows.window.size(); ++behind) {
    const Extent& length = windows.window[windows.window.size() - behind];
    cells = cells * length;
    if (length != windows.operand[windows.operand.size() - behind])
      break;
  }
  return cells;
}

bool are_fetched_ahead(const FarWindows& windows, Emission& e) {
  Shape batches = ir::shape_of(windows.indices);
  batches.pop_back();
  auto cells = element_count(windows.operand).constant();
  return windows.memory && !batches.empty() && bytes_in_a_row(windows) >= e.machine.caches.line &&
         (!cells || *cells * byte_width(windows.dtype) >= e.machine.caches.second / 2) &&
         element_count(batches).constant().value_or(INT64_MAX) >
             2 * rows_ahead(windows, e.machine.caches) &&
         is_cheap(windows.indices, e);
}

/// Asks for elements [first, last) behind an address.
static void emit_fetch(Value row, Value first, Value last, Value width, Emission& e) {
  Value from = e.mul(first, width), to = e.mul(last, width);
  auto fetch = [&](Value offset) {
    mlir::LLVM::Prefetch::create(e.b, e.advanced(row, offset), /*rw=*/0, /*hint=*/3, /*cache=*/1);
  };
  const int64_t line = e.machine.caches.line, most = e.machine.caches.ahead_lines * line;
  auto known_from = constant_of(from), known_to = constant_of(to);
  if (!known_from || !known_to) {
    Value end = mlir::arith::MinSIOp::create(e.b, to, e.add(from, e.i64(most)));
    return e.loop(from, end, fetch, line);
  }
  for (int64_t at = *known_from; at < std::min(*known_to, *known_from + most); at += line)
    fetch(e.i64(at));
}

void emit_fetch_ahead(const FarWindows& windows, IndexSpan batch, Value first, Value last,
                      Value beside, Emission& e) {
  if (!llvm::all_of(batch, [](const Coordinate& place) { return place.is_uniform(); }))
    return; // windows of several batches in one vector lie close to one another
  Index later = later_batch(windows, batch, e);
  Values places = emit_places(windows.indices, later, e);
  if (llvm::any_of(places,
                   [](Value place) { return llvm::isa<mlir::VectorType>(place.getType()); }))
    return; // under a mask of lanes
  Index start(IndexSpan(later).take_front(windows.batched));
  start.append(windows.window.size(), Coordinate(e.i64(0)));
  for (auto [dim, place] : llvm::zip(windows.dims, places))
    start[windows.batched + dim] = place;
  Values shape;
  for (const Extent& extent : windows.operand)
    shape.push_back(e.extent(extent));
  Value width = e.i64(byte_width(windows.dtype));
  auto address = [&](Value memory, IndexSpan index, ValueSpan extents) {
    return e.advanced(memory, e.mul(e.ravel(index, extents).base, width));
  };
  emit_fetch(address(windows.memory, start, shape), first, last, width, e);
  if (!beside || !e.buffer_of(beside))
    return;
  Index same(later);
  same.append(windows.window.size(), Coordinate(e.i64(0)));
  emit_fetch(address(e.buffer_of(beside), same, e.shape(beside)), first, last, width, e);
}

} // namespace kolam::lower::cpu
