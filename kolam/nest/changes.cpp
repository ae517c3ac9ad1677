// Keeps memory as it is until those who read it have done so.
#include "kolam/nest/changes.h"

#include "kolam/ir/element_loop.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
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

/// Whether an op behind another one of its block needs a value.
bool is_needed_behind(mlir::Value value, mlir::Operation* op) {
  llvm::SetVector<mlir::Value> behind;
  behind.insert(value);
  for (size_t next = 0; next < behind.size(); ++next)
    for (mlir::Operation* user : behind[next].getUsers()) {
      mlir::Operation* above = op->getBlock()->findAncestorOpInBlock(*user);
      if (op->isBeforeInBlock(above))
        return true;
      if (above != op)
        behind.insert_range(above->getResults());
    }
  return false;
}

double elements(mlir::Value value) { return ir::rough_count(ir::shape_of(value)); }

} // namespace

bool shows_part(mlir::Operation* op, mlir::Value of) {
  constexpr double kFew = 1.0 / 8; // assumed: little beside a copy of the whole
  return llvm::isa<ir::SliceOp, ir::DynamicSliceOp>(op) && op->getOperand(0) == of &&
         elements(op->getResult(0)) <= kFew * elements(of);
}

mlir::Value part_as_read(mlir::Value part) {
  while (part.hasOneUse() && llvm::isa<ir::SqueezeOp>(*part.user_begin()))
    part = part.user_begin()->getResult(0);
  return part;
}

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
  constexpr double kLeastCopied = 128; // assumed: a copy of fewer elements costs less than a step
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
    for (mlir::Value value : own)
      for (mlir::Operation* user : value.getUsers())
        if (elements(value) >= kLeastCopied && shows_part(user, value) &&
            user->getBlock() == &block && is_needed_behind(user->getResult(0), &op))
          required.try_emplace(part_as_read(user->getResult(0)),
                               "what it is a part of is changed in place");
    for (mlir::Value other : op.getOperands())
      if (!llvm::is_contained(own, other) &&
          llvm::any_of(sources.of(other), [&](mlir::Value source) {
            return source != other && changed.contains(source);
          }))
        required.try_emplace(other, "it reads what its consumer changes");
  }
}

} // namespace kolam::nest
