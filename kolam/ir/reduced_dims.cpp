// Lays out the index dims of reductions.
#include "kolam/ir/reduced_dims.h"

#include "kolam/ir/expectations.h"

namespace kolam::ir {

Shape without_dims(const Shape& shape, llvm::ArrayRef<int64_t> dims) {
  Shape kept;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(extent);
  return kept;
}

std::vector<int> index_of_dims(int64_t rank, llvm::ArrayRef<int64_t> dims) {
  std::vector<int> indices;
  int kept = 0, reduced = static_cast<int>(rank - static_cast<int64_t>(dims.size()));
  for (int64_t dim = 0; dim < rank; ++dim)
    indices.push_back(llvm::is_contained(dims, dim) ? reduced++ : kept++);
  return indices;
}

std::vector<space::IndexDim> reduction_dims(const Shape& space, llvm::ArrayRef<int64_t> dims,
                                            const std::optional<space::Monoid>& monoid) {
  std::vector<space::IndexDim> result = map_dims(without_dims(space, dims));
  for (int64_t dim : dims)
    result.push_back(space::reduce_dim("i" + std::to_string(result.size()), space[dim], *monoid));
  return result;
}

llvm::LogicalResult expect_reduction_order(mlir::Operation* op, const Accumulate& accumulate) {
  if (accumulate.order != Order::chain)
    return mlir::success();
  return op->emitOpError("expected an order by chunk or lanes, but got '")
         << to_string(accumulate) << "'";
}

llvm::LogicalResult expect_reduction(mlir::Operation* op, mlir::ValueRange inputs,
                                     mlir::ValueRange results, const Shape& space,
                                     llvm::ArrayRef<int64_t> dims, const Accumulate& accumulate) {
  if (failed(expect_dims(op, dims, space.size(), DimOrder::increasing)) ||
      failed(expect_reduction_order(op, accumulate)))
    return mlir::failure();
  for (auto [number, input] : llvm::enumerate(inputs))
    if (failed(expect_shape(op, input, space, "input " + llvm::Twine(number))))
      return mlir::failure();
  for (auto [number, result] : llvm::enumerate(results))
    if (failed(
            expect_shape(op, result, without_dims(space, dims), "result " + llvm::Twine(number))))
      return mlir::failure();
  return mlir::success();
}

} // namespace kolam::ir
