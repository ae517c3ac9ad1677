// Chooses lanes by what differs between elements side by side.
#include "kolam/nest/lanes.h"

#include "kolam/ir/element_loop.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/fusion.h"
#include "kolam/support/accumulate.h"

namespace kolam::nest {
namespace {

/// Registers for each state: steps wait for one another, so several chains side by side are quicker
/// even where not all states stay in registers. Five states of a Kalman filter took 267 us with one
/// vector each, 141 with two and 112 with four (AVX2). Lanes of a `while` wait for the last of
/// them: one of three states took 28.1 ms with one vector each, 17.6 with two and 20.5 with four.
int registers_for(mlir::Operation* loop, int64_t cells, const Machine& machine) {
  constexpr int kMost = 32;     // assumed: registers of all states
  constexpr int kMostOps = 256; // size of code
  int width = 1, ops = 0;
  for (mlir::Value state : loop->getResults().take_front(ir::inits_of(loop).size())) // not stacked
    width += std::max(1, byte_width(ir::dtype_of(state)) / 4);
  loop->walk([&](mlir::Operation*) { ++ops; });
  const bool costs_more = ops > kMostOps || llvm::isa<ir::WhileOp>(loop);
  int registers = kSumsAtOnce, lanes = machine.lanes();
  auto cost = [&] { return registers * width * (costs_more ? registers : 1); };
  while (registers > 1 && (cost() > kMost || registers * lanes > cells))
    registers /= 2;
  return registers;
}

/// Registers for each sum that goes by lanes of its own, all of which lie in the first cache.
int registers_for_lanes(mlir::Operation* op) {
  return kSumsAtOnce * 4 / std::max(4, byte_width(ir::dtype_of(op->getResult(0))));
}

/// Whether elements combine so many others, which lie across, or go through so many steps of a
/// loop, that a part of a vector for each step is quicker than one column after the other.
bool takes_long_steps(const Nest& nest, const NestRelation& relation, int64_t first_run) {
  constexpr double kLong = 64; // assumed: steps that are worth masks
  return llvm::any_of(nest.ops(), [&](mlir::Operation* op) {
    auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
    if (!signed_op || !relation.varies(op, first_run))
      return false;
    if (carries(op))
      return ir::rough_steps(op) >= kLong;
    if (goes_by_lanes(op) || !relation.lies_across(op))
      return false;
    double steps = 1;
    for (const space::IndexDim& dim : signed_op.signature().dims)
      if (dim.kind == space::DimKind::reduce)
        steps *= ir::rough_count({dim.extent});
    return steps >= kLong;
  });
}

} // namespace

mlir::Operation* loop_inside(mlir::Operation* op) {
  mlir::Operation* found = nullptr;
  if (ir::facts_of(op).bodies == ir::Bodies::of_elements)
    op->walk([&](mlir::Operation* inner) {
      bool is_loop = ir::facts_of(inner).bodies == ir::Bodies::in_turn;
      found = is_loop ? inner : nullptr;
      return is_loop ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
    });
  return found;
}

bool has_loop(mlir::Operation* op) {
  return carries(op) ||
         llvm::any_of(llvm::cast<ir::SignedOp>(op).signature().dims,
                      [](const space::IndexDim& dim) {
                        return dim.kind == space::DimKind::reduce && dim.extent != Extent(1);
                      });
}

bool goes_by_lanes(mlir::Operation* op, int64_t few) {
  auto attr = op->getAttrOfType<ir::AccumulateAttr>("accumulate");
  if (!attr || ir::accumulate_of(attr).order != Order::lanes)
    return false;
  Extent count = 1;
  for (const space::IndexDim& dim : llvm::cast<ir::SignedOp>(op).signature().dims)
    if (dim.kind == space::DimKind::reduce)
      count = count * dim.extent;
  return count.constant().value_or(few + 1) > few;
}

Lanes choose_lanes(const Nest& nest, const NestRelation& relation, int64_t first_run,
                   llvm::ArrayRef<mlir::Operation*> together, const Machine& machine) {
  Shape shape = ir::shape_of(nest.root->getResult(0));
  if (shape.empty())
    return {1, "a single element"};
  shape.erase(shape.begin(), shape.begin() + first_run);
  if (const int64_t run = element_count(shape).constant().value_or(kShortRun);
      run < kShortRun &&
      !(run > 1 && machine.has_fma && takes_long_steps(nest, relation, first_run)))
    return {1, "rows too short for vectors"};
  const int64_t cells = element_count(shape).constant().value_or(INT64_MAX);
  int registers = 1;
  for (mlir::Operation* op : nest.ops()) {
    mlir::Operation* inside = loop_inside(op);
    if (!relation.varies(op, first_run) || !(inside || has_loop(op)))
      continue;
    if (llvm::isa<ir::SegmentReduceOp>(op) && (first_run == 0 || !relation.is_at_own_index(op)))
      return {1, "each segment ends elsewhere"};
    if (goes_by_lanes(op)) {
      if (cells < machine.lanes() || !relation.lies_across(op))
        return {1, "lanes along the elements of an element"};
      registers = std::max(registers, registers_for_lanes(op));
    } else if (inside || carries(op)) {
      registers = std::max(registers, registers_for(inside ? inside : op, cells, machine));
    } else if (!llvm::is_contained(together, op)) {
      registers = kSumsAtOnce;
    }
  }
  // No more than there are elements, as a power of two.
  int lanes = registers * machine.lanes();
  while (lanes / 2 >= std::max<int64_t>(cells, kShortRun))
    lanes /= 2;
  return {lanes};
}

} // namespace kolam::nest
