// Checks and signs the windows of gather and scatter.
#include "kolam/ir/windows.h"

#include "kolam/ir/expectations.h"

namespace kolam::ir {

llvm::LogicalResult expect_places(mlir::Operation* op, const WindowPlaces& places) {
  int64_t rank = rank_of(places.operand), depth = rank_of(places.indices);
  if (failed(expect_at_least(op, depth, 1, "dim of the indices")) ||
      failed(expect_dtype(op, places.indices, is_integer, "an integer dtype", "the indices")) ||
      failed(expect_between(op, {places.batched}, 0, std::min(rank, depth - 1), "batched dims")) ||
      failed(expect_dims(op, places.dims, places.window_rank(), DimOrder::any)))
    return mlir::failure();
  Shape operand = shape_of(places.operand), indices = shape_of(places.indices);
  for (int64_t dim = 0; dim < places.batched; ++dim)
    if (!(operand[dim] == indices[dim]))
      return op->emitOpError("expected extent ")
             << operand[dim].to_string() << " in batched dim " << dim << " of the indices, but got "
             << indices[dim].to_string();
  if (!(indices.back() == Extent(static_cast<int64_t>(places.dims.size()))))
    return op->emitOpError("expected extent ")
           << places.dims.size() << " in the last dim of the indices, but got "
           << indices.back().to_string();
  return mlir::success();
}

Shape windows_shape(const WindowPlaces& places, const Shape& lengths) {
  Shape operand = shape_of(places.operand), result = shape_of(places.indices);
  result.pop_back();
  size_t first = result.size();
  result.insert(result.end(), operand.begin() + places.batched, operand.end());
  for (auto [dim, length] : llvm::zip(places.dims, lengths))
    result[first + dim] = length;
  return result;
}

llvm::LogicalResult expect_lengths(mlir::Operation* op, const WindowPlaces& places,
                                   const Shape& lengths) {
  Shape operand = shape_of(places.operand);
  for (auto [dim, length] : llvm::zip(places.dims, lengths)) {
    const Extent& extent = operand[places.batched + dim];
    if (length.constant().value_or(0) < 0 || (extent - length).constant().value_or(0) < 0)
      return op->emitOpError("expected a length from 0 to ")
             << extent.to_string() << " along dim " << dim << ", but got " << length.to_string();
  }
  return mlir::success();
}

std::vector<SizePromise> length_promises(const WindowPlaces& places, const Shape& lengths) {
  Shape operand = shape_of(places.operand);
  std::vector<SizePromise> promises;
  for (auto [dim, length] : llvm::zip(places.dims, lengths))
    promises.push_back({length, operand[places.batched + dim]});
  return promises;
}

space::Projection touched_cells(const WindowPlaces& places) {
  int64_t first = places.batch_rank();
  std::vector<int> indices;
  for (int64_t dim = 0; dim < rank_of(places.operand); ++dim) {
    int64_t window_dim = dim - places.batched;
    bool by_data = window_dim >= 0 && llvm::is_contained(places.dims, window_dim);
    int64_t index = window_dim < 0 ? dim : first + window_dim;
    indices.push_back(by_data ? space::kWhole : static_cast<int>(index));
  }
  return space::axial(static_cast<int>(first + places.window_rank()), indices,
                      shape_of(places.operand));
}

space::Projection row_of_indices(const WindowPlaces& places) {
  std::vector<int> indices;
  for (int64_t dim = 0; dim < places.batch_rank(); ++dim)
    indices.push_back(static_cast<int>(dim));
  indices.push_back(space::kWhole);
  return space::axial(static_cast<int>(places.batch_rank() + places.window_rank()), indices,
                      shape_of(places.indices));
}

} // namespace kolam::ir
