// Asks shapes and the combiner.
#include "kolam/nest/scattered_elements.h"

#include "kolam/support/machine.h"

namespace kolam::nest {
namespace {

/// The extents of the batches, which act one after the other.
Shape batches_of(ir::ScatterOp op) {
  Shape shape = ir::shape_of(op.getIndices());
  shape.pop_back();
  return shape;
}

} // namespace

bool places_by_vectors(ir::ScatterOp op) {
  const Shape updates = ir::shape_of(op.getUpdates()[0]), batches = batches_of(op);
  const auto rank = static_cast<size_t>(ir::rank_of(op.getDestinations()[0]));
  const bool are_elements = llvm::all_of(llvm::ArrayRef(updates).drop_front(batches.size()),
                                         [](const Extent& extent) { return extent == Extent(1); });
  return are_elements && op.getDims().size() == rank && op.getBatchedDims() == 0 &&
         op.getUpdates().size() == 1 && (op.getMode() == "drop" || op.getMode() == "element") &&
         op.getCombiner() != "user" && !batches.empty() &&
         batches.back().constant().value_or(kWideRun) >= kWideRun;
}

int64_t table_count(ir::ScatterOp op) {
  constexpr int64_t kTables = 4;          // as many additions as wait for memory at once
  constexpr int64_t kMostBytes = 1 << 14; // bound: of a first cache, and of the stack
  const DType dtype = ir::dtype_of(op.getResult(0));
  const auto elements = element_count(ir::shape_of(op.getResult(0))).constant(),
             updates = element_count(batches_of(op)).constant();
  const bool are_exact = op.getCombiner() == "kAdd" && is_integer(dtype);
  return are_exact && elements && updates &&
                 kTables * (*elements + 1) * byte_width(dtype) <= kMostBytes &&
                 *updates >= kTables * *elements
             ? kTables
             : 1;
}

} // namespace kolam::nest
