// Marks what results need, from the end, and makes loops anew.
#include "kolam/transform/dead_states.h"

#include "kolam/ir/ops.h"
#include "kolam/transform/derive/copies.h"
#include "kolam/transform/kernels.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"

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

void drop_dead_ops(mlir::Block& block) {
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && op.getNumResults() > 0 && mlir::isMemoryEffectFree(&op))
      op.erase();
}

/// Takes out operands whose arguments, from number `first` of the body on, nothing reads.
void drop_unread(mlir::Block& body, unsigned first, mlir::MutableOperandRange operands) {
  for (unsigned number = operands.size(); number-- > 0;)
    if (body.getArgument(first + number).use_empty()) {
      body.eraseArgument(first + number);
      operands.erase(number);
    }
}

/// The loop with those of its states and stacked results that are needed, and what these read.
void narrow(mlir::Operation* op, const NeededValues& needed) {
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
  if (kept.empty()) {
    op->dropAllUses(); // by ops that are dead themselves
    return op->erase();
  }
  yield->setOperands(yields);
  drop_dead_ops(parts.body);
  parts.body.eraseArguments(dead_arguments);
  mlir::OpBuilder b(op);
  const auto states = static_cast<unsigned>(inits.size());
  mlir::Operation* made = nullptr;
  if (auto loop = llvm::dyn_cast<ir::ForOp>(op)) {
    auto narrow = ir::ForOp::create(b, op->getLoc(), types, loop.getLower(), loop.getUpper(), inits,
                                    loop.getCaptures());
    drop_unread(parts.body, 1 + states, narrow.getCapturesMutable());
    made = narrow;
  } else if (auto scan = llvm::dyn_cast<ir::ScanOp>(op)) {
    auto narrow = ir::ScanOp::create(b, op->getLoc(), types, inits, scan.getXs(),
                                     scan.getCaptures(), scan.getLength(), scan.getReverse());
    drop_unread(parts.body, states + static_cast<unsigned>(scan.getXs().size()),
                narrow.getCapturesMutable());
    drop_unread(parts.body, states, narrow.getXsMutable());
    made = narrow;
  }
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  derive::keep_results(op, made, kept);
  keep_ref_names(op, made, kept);
  made->getRegion(0).takeBody(op->getRegion(0));
  for (auto [number, result] : llvm::zip_equal(kept, made->getResults()))
    op->getResult(number).replaceAllUsesWith(result);
  op->dropAllUses();
  op->erase();
}

void sweep(mlir::Block& block, const NeededValues& needed) {
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

NeededValues::NeededValues(mlir::Block& block) {
  for (Value value : block.getTerminator()->getOperands())
    need(value);
  need_effects(block);
  follow();
}

NeededValues::NeededValues(mlir::Operation* loop, llvm::ArrayRef<unsigned> results)
    : within_(loop) {
  for (unsigned number : results)
    need(loop->getResult(number));
  follow();
}

bool NeededValues::any_result_of(mlir::Operation* op) const {
  return llvm::any_of(op->getResults(), [&](Value result) { return contains(result); });
}

void NeededValues::follow() {
  while (!left_.empty())
    visit(left_.pop_back_val());
}

void NeededValues::need(Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  mlir::Operation* op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if ((!within_ || (op && within_->isAncestor(op))) && values_.insert(value).second)
    left_.push_back(value);
}

void NeededValues::need_all(mlir::Operation* op) {
  for (Value operand : op->getOperands())
    need(operand);
}

/// What runs although nobody reads it; bodies that hold such are needed as they are.
void NeededValues::need_effects(mlir::Block& block) {
  for (mlir::Operation& op : block.without_terminator()) {
    if (mlir::isMemoryEffectFree(&op) && op.getNumResults() > 0)
      continue;
    need_all(&op);
    for (Value result : op.getResults())
      need(result);
  }
}

void NeededValues::visit(Value value) {
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

void NeededValues::need_result(mlir::Operation* op, unsigned number) {
  const LoopParts parts(op);
  for (unsigned bound = 0; bound < parts.first_init; ++bound)
    need(op->getOperand(bound));
  need(parts.body.getTerminator()->getOperand(number));
  if (number < parts.states)
    need(op->getOperand(parts.first_init + number));
}

void NeededValues::need_argument(mlir::Operation* op, unsigned number) {
  const LoopParts parts(op);
  if (number < parts.first_state)
    return;
  const unsigned index = number - parts.first_state;
  need(op->getOperand(parts.first_init + index));
  if (index < parts.states)
    need(op->getResult(index));
}

void drop_dead_states(mlir::Block& block) { sweep(block, NeededValues(block)); }

} // namespace kolam::transform
