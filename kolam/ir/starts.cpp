// Checks and signs the starts of dynamic slices.
#include "kolam/ir/starts.h"

#include "kolam/ir/expectations.h"

namespace kolam::ir {

llvm::LogicalResult expect_starts(mlir::Operation* op, mlir::ValueRange starts, mlir::Value operand,
                                  mlir::Value box, llvm::StringRef what) {
  Shape shape = shape_of(operand), inner = shape_of(box);
  if (failed(expect_rank(op, box, rank_of(operand), what)) ||
      failed(expect_count(op, starts.size(), shape.size(), "starts")))
    return mlir::failure();
  for (mlir::Value start : starts)
    if (failed(expect_dtype(op, start, is_integer, "an integer dtype", "every start")))
      return mlir::failure();
  return without_overflow(op, [&]() -> llvm::LogicalResult {
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if ((shape[dim] - inner[dim]).constant().value_or(0) < 0)
        return op->emitOpError("expected ")
               << what << " to have at most extent " << shape[dim].to_string() << " in dim " << dim
               << ", but got " << inner[dim].to_string();
    return mlir::success();
  });
}

std::vector<SizePromise> box_promises(mlir::Value operand, mlir::Value box) {
  std::vector<SizePromise> promises;
  for (auto [whole, part] : llvm::zip(shape_of(operand), shape_of(box)))
    promises.push_back({part, whole});
  return promises;
}

std::vector<bool> full_dims(mlir::Value operand, mlir::Value box) {
  std::vector<bool> full;
  for (auto [whole, part] : llvm::zip(shape_of(operand), shape_of(box)))
    full.push_back(whole == part);
  return full;
}

void add_start_reads(mlir::ValueRange starts, int64_t index_rank,
                     std::vector<space::Operand>& reads) {
  for (auto [number, start] : llvm::enumerate(starts))
    reads.push_back(read("start" + std::to_string(number), start, cells(index_rank, {})));
}

} // namespace kolam::ir
