// Finds what is walked from end to end by extents.
#include "kolam/nest/end_to_end.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reduction.h"
#include "kolam/nest/lanes.h"

namespace kolam::nest {
namespace {

/// The extents of an op's index dims.
Shape space_of(mlir::Operation* op) {
  Shape space;
  for (const space::IndexDim& dim : llvm::cast<ir::SignedOp>(op).signature().dims)
    space.push_back(dim.extent);
  return space;
}

/// What is not larger lies in caches that are near anyway.
bool is_far(mlir::Value value, const Machine& machine) {
  return analysis::bytes_of(value) > static_cast<double>(machine.caches.second);
}

/// The parts of rows, at places of the run, that the nest takes of a value; null for none. A loop
/// around takes those that follow.
mlir::Value parts_of_rows(const Nest& nest, mlir::Value value) {
  for (mlir::Operation* op : nest.fused) {
    auto slice = llvm::dyn_cast<ir::DynamicSliceOp>(op);
    if (slice && slice.getOperand() == value && ir::rank_of(value) > 0 &&
        ir::shape_of(value).back() != ir::shape_of(slice.getResult()).back())
      return slice.getResult();
  }
  return {};
}

} // namespace

std::vector<EndToEnd> walked_end_to_end(const Nest& nest, llvm::ArrayRef<mlir::Operation*> together,
                                        bool streams, const Machine& machine) {
  std::vector<EndToEnd> walks;
  std::vector<Extent> counts; // of what loops run over
  for (mlir::Operation* op : nest.ops()) {
    if (!has_loop(op) || llvm::is_contained(together, op))
      continue;
    if (!goes_by_lanes(op))
      return walks; // its loops jump through memory
    counts.push_back(element_count(space_of(op)));
  }
  auto add = [&](mlir::Value value) {
    Shape shape = ir::shape_of(value);
    mlir::Value parts = parts_of_rows(nest, value);
    if (is_far(value, machine) &&
        llvm::is_contained(counts, element_count(parts ? ir::shape_of(parts) : shape)))
      walks.push_back({value, static_cast<int64_t>(shape.size())});
  };
  for (mlir::Value input : nest.inputs) {
    const auto* by_rows = llvm::find_if(
        together, [&](auto* op) { return llvm::is_contained(op->getOperands(), input); });
    if (together.empty())
      add(input);
    else if (is_far(input, machine) && by_rows != together.end())
      walks.push_back({input, ir::reduction_of(*by_rows)->dims.back() + 1});
  }
  if (together.empty() && !streams)
    llvm::for_each(nest.outputs, add);
  return walks;
}

std::vector<EndToEnd> walked_by_rows(const Nest& nest, int64_t first_of_row,
                                     const Machine& machine) {
  std::vector<EndToEnd> walks;
  for (mlir::Value input : nest.inputs)
    if (is_far(input, machine) && ir::shape_of(input) == ir::shape_of(nest.root->getResult(0)))
      walks.push_back({input, first_of_row});
  return walks;
}

} // namespace kolam::nest
