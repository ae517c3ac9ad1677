// Chooses lanes by what differs between elements side by side.
#include "kolam/nest/lanes.h"

#include "kolam/ir/ops.h"
#include "kolam/nest/fusion.h"
#include "kolam/support/accumulate.h"

namespace kolam::nest {
namespace {

/// Extents below this are not worth a vector.
constexpr int64_t kShort = 4;

/// Registers for each state, so that states and as many values beside them stay in registers.
int registers_for(mlir::Operation* loop, int64_t cells, const Machine& machine) {
  int width = 1;
  for (mlir::Value state : loop->getResults())
    width += std::max(1, byte_width(ir::dtype_of(state)) / 4);
  int registers = 4, lanes = machine.vector_bytes / 4;
  const int most = machine.vector_bytes == 64 ? 16 : 8;
  while (registers > 1 && (registers * width > most || registers * lanes > cells))
    registers /= 2;
  return registers;
}

/// Registers for each sum that goes by lanes of its own, all of which lie in the first cache.
int registers_for_lanes(mlir::Operation* op) {
  constexpr int kRegisters = 4;
  return kRegisters * 4 / std::max(4, byte_width(ir::dtype_of(op->getResult(0))));
}

} // namespace

bool has_loop(mlir::Operation* op) {
  return carries(op) || llvm::any_of(llvm::cast<ir::SignedOp>(op).signature().dims,
                                     [](const space::IndexDim& dim) {
                                       return dim.kind == space::DimKind::reduce;
                                     });
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
    if (goes_by_lanes(op)) {
      if (element_count(shape).constant().value_or(INT64_MAX) < machine.vector_bytes / 4 ||
          !relation.lies_across(op, first_run))
        return {1, "lanes along the elements of an element"};
      registers = std::max(registers, registers_for_lanes(op));
    } else if (carries(op))
      registers =
          std::max(registers,
                   registers_for(op, element_count(shape).constant().value_or(INT64_MAX), machine));
    else if (!llvm::is_contained(together, op))
      registers = 4;
  }
  return {registers * machine.vector_bytes / 4};
}

} // namespace kolam::nest
