// Asks shapes and modes.
#include "kolam/nest/scattered_elements.h"

#include "kolam/support/machine.h"

namespace kolam::nest {

bool places_by_vectors(ir::ScatterOp op) {
  const Shape updates = ir::shape_of(op.getUpdates()[0]);
  Shape batches = ir::shape_of(op.getIndices());
  batches.pop_back();
  const auto rank = static_cast<size_t>(ir::rank_of(op.getDestinations()[0]));
  const bool are_elements = llvm::all_of(llvm::ArrayRef(updates).drop_front(batches.size()),
                                         [](const Extent& extent) { return extent == Extent(1); });
  return are_elements && op.getDims().size() == rank && op.getBatchedDims() == 0 &&
         !batches.empty() && batches.back().constant().value_or(kWideRun) >= kWideRun;
}

bool shares_results(ir::ScatterOp op) {
  const Shape shape = ir::shape_of(op.getResult(0));
  if (shape.empty() || !places_by_vectors(op))
    return false;
  int64_t width = 0;
  for (mlir::Value result : op->getResults())
    width += byte_width(ir::dtype_of(result));
  return shape[0].constant().value_or(kThreads.parts) >= kThreads.parts &&
         element_count(shape).constant().value_or(Caches().first) * width >= Caches().first;
}

} // namespace kolam::nest
