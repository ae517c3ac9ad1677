// Chooses lanes by what differs between elements side by side.
#include "kolam/nest/lanes.h"

#include "kolam/ir/ops.h"
#include "kolam/support/accumulate.h"

namespace kolam::nest {
namespace {

/// Extents below this are not worth a vector.
constexpr int64_t kShort = 4;

} // namespace

bool has_loop(mlir::Operation* op) {
  return llvm::any_of(
      llvm::cast<ir::SignedOp>(op).signature().dims,
      [](const space::IndexDim& dim) { return dim.kind == space::DimKind::reduce; });
}

bool goes_by_lanes(mlir::Operation* op) {
  auto attr = op->getAttrOfType<ir::AccumulateAttr>("accumulate");
  return attr && ir::accumulate_of(attr).order == Order::lanes;
}

Lanes choose_lanes(const Nest& nest, const NestRelation& relation, int64_t first_run,
                   llvm::ArrayRef<mlir::Operation*> together, const Machine& machine) {
  Shape shape = ir::shape_of(nest.root->getResult(0));
  if (shape.empty())
    return {1, "a single element"};
  shape.erase(shape.begin(), shape.begin() + first_run);
  if (element_count(shape).constant().value_or(kShort) < kShort)
    return {1, "rows too short for vectors"};
  int registers = 1;
  for (mlir::Operation* op : llvm::concat<mlir::Operation* const>(
           llvm::ArrayRef<mlir::Operation*>(nest.root), llvm::ArrayRef(nest.fused))) {
    if (!relation.varies(op, first_run) || !has_loop(op))
      continue;
    if (goes_by_lanes(op))
      return {1, "lanes along the elements of an element"};
    if (!llvm::is_contained(together, op))
      registers = 4;
  }
  return {registers * machine.vector_bytes / 4};
}

} // namespace kolam::nest
