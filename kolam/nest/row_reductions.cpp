// Finds reductions by their order and by where a nest asks for them.
#include "kolam/nest/row_reductions.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reduction.h"
#include "kolam/nest/lanes.h"
#include "kolam/support/accumulate.h"

namespace kolam::nest {

/// Over no dims there is nothing to walk by rows.
static bool reduces_by_chunks(mlir::Operation* op) {
  auto is_by_chunks = [](const ir::Reduction& reduction) {
    return !reduction.dims.empty() && reduction.accumulate.order == Order::chunk;
  };
  if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op))
    return is_by_chunks(ir::reduction_of(reduce));
  auto pattern = llvm::dyn_cast<ir::ZipMapReduceOp>(op);
  auto reduction = pattern ? ir::reduction_of(pattern) : std::nullopt;
  return reduction && is_by_chunks(*reduction);
}

std::vector<mlir::Operation*> column_reductions(const Nest& nest, const NestRelation& relation) {
  std::vector<mlir::Operation*> together;
  auto add = [&](mlir::Operation* op) {
    if (reduces_by_chunks(op) && ir::rank_of(op->getResult(0)) > 0 && relation.is_at_own_index(op))
      together.push_back(op);
  };
  for (mlir::Operation* op : llvm::reverse(nest.fused))
    add(op);
  add(nest.root);
  return together;
}

bool lies_in_squares(const analysis::RelationIndex& at, int last) {
  const int inner = at.empty() ? -1 : at.back().copied_loop();
  if (inner <= last || last < 0)
    return false;
  int across = 0;
  for (const analysis::RelationCoordinate& place : llvm::ArrayRef(at).drop_back()) {
    if (place.depends_on(inner) || (place.depends_on(last) && place.copied_loop() != last))
      return false;
    across += place.depends_on(last) ? 1 : 0;
  }
  return across == 1;
}

bool sums_rows_by_chunks(mlir::Operation* op, const Machine& machine) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  if (!reduce || !reduces_by_chunks(op) || ir::rank_of(op->getResult(0)) == 0)
    return false;
  const Shape space = ir::shape_of(reduce.getInputs().front());
  const auto last = static_cast<int64_t>(space.size()) - 1;
  auto at_least = [](const Extent& extent, int64_t least) {
    return extent.constant().value_or(least) >= least;
  };
  return ir::reduction_of(reduce).dims == std::vector<int64_t>{last} &&
         at_least(space[last], kMostInterleaved + 1) && at_least(space[last - 1], machine.lanes());
}

/// Whether the op reduces the last dim of inputs of `rank` dims, element by element.
static bool reduces_last(mlir::Operation* op, int64_t rank) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  if (!reduce)
    return false;
  ir::Reduction reduction = ir::reduction_of(reduce);
  return reduction.dims == std::vector<int64_t>{rank - 1} && !reduction.wrap_all &&
         ir::rank_of(reduce.getInputs().front()) == rank;
}

/// Arithmetic for one element of an op with the fused ops behind it that have as many elements.
static double flops_of_row_cell(const Nest& nest, mlir::Operation* op) {
  double flops = analysis::flops_per_cell(op);
  for (mlir::Value operand : op->getOperands())
    if (mlir::Operation* producer = operand.getDefiningOp();
        producer && llvm::is_contained(nest.fused, producer) &&
        ir::shape_of(operand) == ir::shape_of(op->getResult(0)))
      flops += flops_of_row_cell(nest, producer);
  return flops;
}

std::optional<Shape> reduced_space(mlir::Operation* op) {
  if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op))
    return ir::shape_of(reduce.getInputs().front());
  auto pattern = llvm::dyn_cast<ir::ZipMapReduceOp>(op);
  return pattern && ir::reduction_of(pattern) ? std::optional(pattern.getSpace().shape())
                                              : std::nullopt;
}

bool reduce_alike(mlir::Operation* x, mlir::Operation* y) {
  auto of_x = ir::reduction_of(x), of_y = ir::reduction_of(y);
  return of_x && of_y && !of_x->wrap_all && !of_y->wrap_all && of_x->dims == of_y->dims &&
         of_x->accumulate == of_y->accumulate && reduced_space(x) == reduced_space(y);
}

std::vector<ReductionGroup> group_reductions(llvm::ArrayRef<mlir::Operation*> reductions,
                                             llvm::ArrayRef<mlir::Operation*> fused) {
  struct Group {
    size_t first;
    ReductionGroup ops;
    llvm::DenseSet<mlir::Value> reads; ///< from memory
  };
  std::vector<Group> groups;
  for (auto [position, op] : llvm::enumerate(reductions)) {
    Group own{position, {op}, {}};
    llvm::DenseSet<mlir::Operation*> needs;
    std::vector<mlir::Operation*> open{op};
    while (!open.empty()) {
      mlir::Operation* reader = open.back();
      open.pop_back();
      for (mlir::Value operand : reader->getOperands()) {
        mlir::Operation* producer = operand.getDefiningOp();
        if (!producer || !llvm::is_contained(fused, producer))
          own.reads.insert(operand);
        else if (needs.insert(producer).second)
          open.push_back(producer);
      }
    }
    auto fits = [&](const Group& group) {
      return reduce_alike(group.ops[0], op) &&
             llvm::none_of(reductions.drop_front(group.first),
                           [&](mlir::Operation* later) { return needs.contains(later); }) &&
             llvm::any_of(own.reads, [&](mlir::Value v) { return group.reads.contains(v); });
    };
    if (auto found = llvm::find_if(groups, fits); found != groups.end()) {
      found->ops.push_back(op);
      found->reads.insert(own.reads.begin(), own.reads.end());
    } else {
      groups.push_back(std::move(own));
    }
  }
  std::vector<ReductionGroup> result;
  for (Group& group : groups)
    result.push_back(std::move(group.ops));
  return result;
}

int64_t most_row(const Machine& machine) {
  constexpr int64_t kElement = byte_width(DType::f32);
  return machine.caches.first / 2 / kElement;
}

KeptRows kept_rows(const Nest& nest, const NestRelation& relation, const Machine& machine) {
  const int64_t most = most_row(machine);
  KeptRows kept;
  Shape shape = ir::shape_of(nest.root->getResult(0));
  auto rank = static_cast<int64_t>(shape.size());
  const bool has_rows = rank >= 2 && shape.back() != Extent(1); // a sum of one term is no loop
  if (!has_rows || shape.back().constant().value_or(most + 1) > most)
    return kept;
  for (mlir::Operation* reduce : llvm::reverse(nest.fused)) { // producers first
    if (!reduces_last(reduce, rank) || !relation.is_at_own_places(reduce, rank - 1))
      continue;
    for (mlir::Value input : reduce->getOperands()) {
      mlir::Operation* op = input.getDefiningOp();
      if (!op || !llvm::is_contained(nest.fused, op) || llvm::is_contained(kept.ops, op) ||
          ir::shape_of(input) != shape || !relation.is_at_own_places(op, rank) ||
          flops_of_row_cell(nest, op) < machine.prices.kept)
        continue;
      kept.ops.push_back(op);
      if (!llvm::is_contained(kept.reductions, reduce))
        kept.reductions.push_back(reduce);
    }
  }
  return kept;
}

} // namespace kolam::nest
