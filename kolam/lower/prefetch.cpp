// Finds inputs that are read from end to end by their extents, and how far ahead to look.
#include "kolam/lower/prefetch.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/lower/lanes.h"
#include "kolam/lower/reduction.h"

namespace kolam::lower {
namespace {

/// What is not larger lies in caches that are near anyway.
constexpr double kNearBytes = 1 << 20;
/// Memory is asked for so many bytes before it is needed. Note [How far ahead].
constexpr int64_t kAheadBytes = 8192;
/// Rows that a walk by rows takes at once.
constexpr int64_t kRowsAtOnce = 2;

/// The extents of an op's index dims.
Shape space_of(mlir::Operation* op) {
  Shape space;
  for (const space::IndexDim& dim : llvm::cast<ir::SignedOp>(op).signature().dims)
    space.push_back(dim.extent);
  return space;
}

bool is_far(mlir::Value input) {
  return ir::rough_count(ir::shape_of(input)) * byte_width(ir::dtype_of(input)) > kNearBytes;
}

/// Bytes from a load to the memory that is asked for: whole rows where the walk goes by rows.
Value distance_of(const EndToEnd& read, Emission& e) {
  Value row = e.i64(byte_width(ir::dtype_of(read.input)));
  for (Value extent : llvm::drop_begin(e.shape(read.input), read.first_of_row))
    row = e.mul(row, extent);
  auto larger = [&](Value x, Value y) { return e.b.createOrFold<mlir::arith::MaxSIOp>(x, y); };
  Value rows =
      e.b.createOrFold<mlir::arith::CeilDivSIOp>(e.i64(kAheadBytes), larger(row, e.i64(1)));
  return e.mul(row, larger(rows, e.i64(kRowsAtOnce)));
}

} // namespace

std::vector<EndToEnd> read_end_to_end(const nest::Nest& nest,
                                      llvm::ArrayRef<mlir::Operation*> together) {
  std::vector<EndToEnd> reads;
  std::vector<Extent> counts; // of what loops run over
  for (mlir::Operation* op : llvm::concat<mlir::Operation* const>(
           llvm::ArrayRef<mlir::Operation*>(nest.root), llvm::ArrayRef(nest.fused))) {
    if (!has_loop(op) || llvm::is_contained(together, op))
      continue;
    if (!goes_by_lanes(op))
      return reads; // its loops jump through memory
    counts.push_back(element_count(space_of(op)));
  }
  for (mlir::Value input : nest.inputs) {
    Shape shape = ir::shape_of(input);
    if (!is_far(input))
      continue;
    const auto* by_rows = llvm::find_if(
        together, [&](auto* op) { return llvm::is_contained(op->getOperands(), input); });
    if (by_rows != together.end())
      reads.push_back({input, read_reduction(*by_rows).dims.back() + 1});
    else if (together.empty() && llvm::is_contained(counts, element_count(shape)))
      reads.push_back({input, static_cast<int64_t>(shape.size())});
  }
  return reads;
}

std::vector<EndToEnd> read_by_rows(const nest::Nest& nest, int64_t first_of_row) {
  std::vector<EndToEnd> reads;
  for (mlir::Value input : nest.inputs)
    if (is_far(input) && ir::shape_of(input) == ir::shape_of(nest.root->getResult(0)))
      reads.push_back({input, first_of_row});
  return reads;
}

void emit_prefetches(llvm::ArrayRef<EndToEnd> reads, Emission& e) {
  for (const EndToEnd& read : reads)
    e.prefetch(read.input, distance_of(read, e));
}

} // namespace kolam::lower

// Note [How far ahead]
// Processors see for themselves that memory is read in order, but look no further than a page, and
// only while instructions that wait for it are few: a row's own arithmetic between its loads
// leaves the memory idle. Two pages are what the first cache holds beside the rows at work.
