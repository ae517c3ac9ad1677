// Finds what is walked from end to end by extents, and how far ahead to look.
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

bool is_far(mlir::Value value) {
  return ir::rough_count(ir::shape_of(value)) * byte_width(ir::dtype_of(value)) > kNearBytes;
}

/// Bytes from a load to the memory that is asked for: whole rows where the walk goes by rows.
Value distance_of(const EndToEnd& walk, Emission& e) {
  Value row = e.i64(byte_width(ir::dtype_of(walk.value)));
  Values shape = e.shape(walk.value);
  for (Value extent : llvm::drop_begin(shape, walk.first_of_row))
    row = e.mul(row, extent);
  auto larger = [&](Value x, Value y) { return e.b.createOrFold<mlir::arith::MaxSIOp>(x, y); };
  Value rows =
      e.b.createOrFold<mlir::arith::CeilDivSIOp>(e.i64(kAheadBytes), larger(row, e.i64(1)));
  return e.mul(row, larger(rows, e.i64(kRowsAtOnce)));
}

} // namespace

std::vector<EndToEnd> walked_end_to_end(const nest::Nest& nest,
                                        llvm::ArrayRef<mlir::Operation*> together, bool streams) {
  std::vector<EndToEnd> walks;
  std::vector<Extent> counts; // of what loops run over
  for (mlir::Operation* op : llvm::concat<mlir::Operation* const>(
           llvm::ArrayRef<mlir::Operation*>(nest.root), llvm::ArrayRef(nest.fused))) {
    if (!has_loop(op) || llvm::is_contained(together, op))
      continue;
    if (!goes_by_lanes(op))
      return walks; // its loops jump through memory
    counts.push_back(element_count(space_of(op)));
  }
  auto add = [&](mlir::Value value) {
    Shape shape = ir::shape_of(value);
    if (is_far(value) && llvm::is_contained(counts, element_count(shape)))
      walks.push_back({value, static_cast<int64_t>(shape.size())});
  };
  for (mlir::Value input : nest.inputs) {
    const auto* by_rows = llvm::find_if(
        together, [&](auto* op) { return llvm::is_contained(op->getOperands(), input); });
    if (together.empty())
      add(input);
    else if (is_far(input) && by_rows != together.end())
      walks.push_back({input, read_reduction(*by_rows).dims.back() + 1});
  }
  if (together.empty() && !streams)
    llvm::for_each(nest.outputs, add);
  return walks;
}

std::vector<EndToEnd> walked_by_rows(const nest::Nest& nest, int64_t first_of_row) {
  std::vector<EndToEnd> walks;
  for (mlir::Value input : nest.inputs)
    if (is_far(input) && ir::shape_of(input) == ir::shape_of(nest.root->getResult(0)))
      walks.push_back({input, first_of_row});
  return walks;
}

void emit_prefetches(llvm::ArrayRef<EndToEnd> walks, Emission& e) {
  for (const EndToEnd& walk : walks)
    e.prefetch(walk.value, distance_of(walk, e));
}

} // namespace kolam::lower

// Note [How far ahead]
// Processors see for themselves that memory is read in order, but look no further than a page, and
// only while instructions that wait for it are few: a row's own arithmetic between its loads
// leaves the memory idle. Two pages are what the first cache holds beside the rows at work. Stores
// wait too, for the lines that they change.
