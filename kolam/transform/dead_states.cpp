// Marks what results need, from the end, and makes loops anew.
#include "kolam/transform/dead_states.h"

#include "kolam/ir/ops.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

namespace kolam::transform {
namespace {

using mlir::Value;

/// Loops whose states are no more than the values that they carry.
bool is_plain_loop(mlir::Operation* op) {
  return llvm::isa_and_present<ir::ForOp, ir::ScanOp>(op) && !op->hasAttr("late") &&
         !op->hasAttr("appended");
}
bool is_plain_branch(mlir::Operation* op) {
  return llvm::isa_and_present<ir::CondOp>(op) && !op->hasAttr("late");
}

/// The parts of a loop's operands and of its body's arguments.
struct LoopParts {
  explicit LoopParts(mlir::Operation* op) : body(op->getRegion(0).front()) {
    if (auto loop = llvm::dyn_cast<ir::ForOp>(op)) {
      first_init = 2;
      first_state = 1;
      states = static_cast<unsigned>(loop.getInits().size());
    } else {
      states = static_cast<unsigned>(llvm::cast<ir::ScanOp>(op).getInits().size());
    }
  }
  mlir::Block& body;
  unsigned first_init = 0, first_state = 0, states = 0;
};

class Needed {
public:
  explicit Needed(mlir::Block& block) {
    for (Value value : block.getTerminator()->getOperands())
      need(value);
    need_effects(block);
    while (!left_.empty())
      visit(left_.pop_back_val());
  }
  bool contains(Value value) const { return values_.contains(value); }

private:
  void need(Value value) {
    if (values_.insert(value).second)
      left_.push_back(value);
  }
  void need_all(mlir::Operation* op) {
    for (Value operand : op->getOperands())
      need(operand);
  }
  /// What runs although nobody reads it; bodies that hold such are needed as they are.
  void need_effects(mlir::Block& block) {
    for (mlir::Operation& op : block.without_terminator()) {
      if (mlir::isMemoryEffectFree(&op) && op.getNumResults() > 0)
        continue;
      need_all(&op);
      for (Value result : op.getResults())
        need(result);
    }
  }

  void visit(Value value) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    mlir::Operation* op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
    if (!argument && is_plain_loop(op))
      return need_result(op, llvm::cast<mlir::OpResult>(value).getResultNumber());
    if (argument && is_plain_loop(op))
      return need_argument(op, argument.getArgNumber());
    if (!argument && is_plain_branch(op)) {
      need_all(op);
      for (mlir::Region& branch : op->getRegions())
        need_all(branch.front().getTerminator());
      return;
    }
    if (!argument)
      need_all(op);
  }
  void need_result(mlir::Operation* op, unsigned number) {
    const LoopParts parts(op);
    for (unsigned bound = 0; bound < parts.first_init; ++bound)
      need(op->getOperand(bound));
    need(parts.body.getTerminator()->getOperand(number));
    if (number < parts.states)
      need(op->getOperand(parts.first_init + number));
  }
  void need_argument(mlir::Operation* op, unsigned number) {
    const LoopParts parts(op);
    if (number < parts.first_state)
      return;
    const unsigned place = number - parts.first_state;
    need(op->getOperand(parts.first_init + place));
    if (place < parts.states)
      need(op->getResult(place));
  }

  llvm::DenseSet<Value> values_;
  llvm::SmallVector<Value> left_;
};

void drop_dead_ops(mlir::Block& block) {
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && op.getNumResults() > 0 && mlir::isMemoryEffectFree(&op))
      op.erase();
}

/// The loop with those of its states and stacked results that are needed, and of what it captures
/// or goes over with what its body then uses.
void narrow(mlir::Operation* op, const Needed& needed) {
  const LoopParts parts(op);
  mlir::Operation* yield = parts.body.getTerminator();
  llvm::SmallVector<Value> yields, inits;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<unsigned> kept;
  llvm::BitVector dead_arguments(parts.body.getNumArguments());
  for (unsigned number = 0; number < op->getNumResults(); ++number) {
    if (!needed.contains(op->getResult(number))) {
      if (number < parts.states)
        dead_arguments.set(parts.first_state + number);
      continue;
    }
    kept.push_back(number);
    types.push_back(op->getResult(number).getType());
    yields.push_back(yield->getOperand(number));
    if (number < parts.states)
      inits.push_back(op->getOperand(parts.first_init + number));
  }
  yield->setOperands(yields);
  drop_dead_ops(parts.body);
  // Operands behind the states: those that the body uses.
  auto used = [&](mlir::ValueRange operands, unsigned first) {
    llvm::SmallVector<Value> values;
    for (auto [number, operand] : llvm::enumerate(operands)) {
      const unsigned argument = first + static_cast<unsigned>(number);
      if (parts.body.getArgument(argument).use_empty())
        dead_arguments.set(argument);
      else
        values.push_back(operand);
    }
    return values;
  };
  const unsigned behind = parts.first_state + parts.states;
  mlir::OpBuilder b(op);
  mlir::Operation* made = nullptr;
  if (auto loop = llvm::dyn_cast<ir::ForOp>(op)) {
    const auto captures = used(loop.getCaptures(), behind);
    if (dead_arguments.none())
      return;
    if (!kept.empty())
      made = ir::ForOp::create(b, op->getLoc(), types, loop.getLower(), loop.getUpper(), inits,
                               captures);
  } else if (auto scan = llvm::dyn_cast<ir::ScanOp>(op)) {
    const auto xs = used(scan.getXs(), behind);
    const auto captures =
        used(scan.getCaptures(), behind + static_cast<unsigned>(scan.getXs().size()));
    if (dead_arguments.none() && kept.size() == op->getNumResults())
      return;
    if (!kept.empty())
      made = ir::ScanOp::create(b, op->getLoc(), types, inits, xs, captures, scan.getLength(),
                                scan.getReverse());
  }
  if (made) {
    parts.body.eraseArguments(dead_arguments);
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    made->getRegion(0).takeBody(op->getRegion(0));
    for (auto [number, result] : llvm::zip_equal(kept, made->getResults()))
      op->getResult(number).replaceAllUsesWith(result);
  }
  op->dropAllUses(); // of results whose users are dead
  op->erase();
}

void sweep(mlir::Block& block, const Needed& needed) {
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if ((!is_plain_loop(&op) && !is_plain_branch(&op)) || !mlir::isMemoryEffectFree(&op))
      continue;
    for (mlir::Region& region : op.getRegions())
      sweep(region.front(), needed);
    if (is_plain_loop(&op))
      narrow(&op, needed);
  }
  drop_dead_ops(block);
}

} // namespace

void drop_dead_states(mlir::Block& block) { sweep(block, Needed(block)); }

} // namespace kolam::transform
