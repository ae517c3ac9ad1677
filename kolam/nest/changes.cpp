// Keeps memory as it is until those who read it have done so.
#include "kolam/nest/changes.h"

#include "kolam/ir/element_loop.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/fusion.h"

#include "llvm/ADT/SetVector.h"

namespace kolam::nest {
namespace {

/// For each value of a block the values, changed by ops of the block, whose memory is read when it
/// is computed where it is used. What lies in memory of its own is read there.
class Sources {
public:
  explicit Sources(mlir::Block& block) {
    for (mlir::Operation& op : block)
      changed_.insert_range(changed_by(&op));
    if (changed_.empty())
      return;
    for (mlir::Operation& op : block)
      if (changed_by(&op).empty() && !forms_step(&op))
        for (mlir::Value result : op.getResults())
          for (mlir::Value operand : op.getOperands())
            sources_[result].insert_range(of(operand));
  }

  llvm::SetVector<mlir::Value> of(mlir::Value value) const {
    llvm::SetVector<mlir::Value> result = sources_.lookup(value);
    if (changed_.contains(value))
      result.insert(value);
    return result;
  }

  /// Whether computing the op's results reads one of the values.
  bool reads(mlir::Operation* op, mlir::ValueRange values) const {
    return llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
      llvm::SetVector<mlir::Value> sources = of(operand);
      return llvm::any_of(values, [&](mlir::Value value) { return sources.contains(value); });
    });
  }

private:
  llvm::DenseSet<mlir::Value> changed_;
  llvm::DenseMap<mlir::Value, llvm::SetVector<mlir::Value>> sources_;
};

/// The first op of its block that uses a result of `op`, also inside a region.
mlir::Operation* first_user(mlir::Operation* op) {
  mlir::Operation* first = op->getBlock()->getTerminator();
  for (mlir::Operation* user : op->getUsers())
    if (mlir::Operation* above = op->getBlock()->findAncestorOpInBlock(*user);
        above->isBeforeInBlock(first))
      first = above;
  return first;
}

} // namespace

mlir::ValueRange changed_by(mlir::Operation* op) {
  if (auto scatter = llvm::dyn_cast<ir::ScatterOp>(op))
    return scatter.getDestinations();
  if (llvm::isa<ir::DynamicUpdateSliceOp>(op))
    return op->getOperands().take_front(1);
  if (ir::is_by_elements(op))
    return ir::inits_of(op);
  return {};
}

mlir::Value written_by(mlir::Operation* op) {
  if (auto scatter = llvm::dyn_cast<ir::ScatterOp>(op))
    return scatter.getUpdates()[0];
  return llvm::cast<ir::DynamicUpdateSliceOp>(op).getUpdate();
}

void move_changes_back(mlir::Block& block) {
  Sources sources(block);
  llvm::SmallVector<mlir::Operation*> changes;
  for (mlir::Operation& op : block)
    if (!changed_by(&op).empty())
      changes.push_back(&op);
  for (mlir::Operation* change : llvm::reverse(changes)) {
    mlir::Operation* last = nullptr;
    for (mlir::Operation *op = change->getNextNode(), *end = first_user(change); op != end;
         op = op->getNextNode())
      if (sources.reads(op, changed_by(change)))
        last = op;
    if (last)
      change->moveAfter(last);
  }
}

void require_for_changes(mlir::Block& block, Required& required) {
  Sources sources(block);
  llvm::SetVector<mlir::Value> changed;
  for (mlir::Operation& op : block) {
    mlir::ValueRange own = changed_by(&op);
    changed.insert_range(own);
    for (mlir::Value value : own)
      if (value.getDefiningOp<ir::DynamicUpdateSliceOp>())
        required.try_emplace(value, "its consumer changes it in place");
    if (own.empty())
      continue;
    for (mlir::Value other : op.getOperands())
      if (!llvm::is_contained(own, other) &&
          llvm::any_of(sources.of(other), [&](mlir::Value source) {
            return source != other && changed.contains(source);
          }))
        required.try_emplace(other, "it reads what its consumer changes");
  }
}

} // namespace kolam::nest
