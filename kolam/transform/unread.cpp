// Marks what results need, from the end, then takes out what is not marked.
#include "kolam/transform/unread.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/visit.h"
#include "kolam/transform/derive/copies.h"
#include "kolam/transform/kernels.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"

namespace kolam::transform {
namespace {

using mlir::Value;

bool is_branch(mlir::Operation* op) { return llvm::isa<ir::CondOp>(op) && !op->hasAttr("late"); }

mlir::Operation* yield_of(mlir::Region& region) { return region.front().getTerminator(); }

/// The parts of a loop: bodies have arguments for states, what is sliced and what is captured, from
/// `first_state` on.
struct Loop {
  mlir::Region* body;
  mlir::MutableOperandRange inits;
  std::vector<mlir::MutableOperandRange> others; ///< operands behind the inits
  unsigned first_init = 0, first_state = 0;
  mlir::Region* condition = nullptr;

  unsigned states() const { return inits.size(); }
};

Loop parts_of(ir::ForOp op) {
  return {&op.getBody(), op.getInitsMutable(), {op.getCapturesMutable()}, 2, 1};
}
Loop parts_of(ir::WhileOp op) {
  return {&op.getBody(), op.getInitsMutable(), {op.getCapturesMutable()}, 0, 0, &op.getCondition()};
}
Loop parts_of(ir::ScanOp op) {
  return {&op.getBody(), op.getInitsMutable(), {op.getXsMutable(), op.getCapturesMutable()}};
}
std::optional<Loop> loop_of(mlir::Operation* op) {
  return ir::visit<std::optional<Loop>>(
      op,
      [](auto typed) -> std::optional<Loop> {
        if constexpr (requires { parts_of(typed); })
          return parts_of(typed);
        else
          return std::nullopt;
      },
      [](mlir::Operation*) { return std::nullopt; });
}

/// The op with those of its results alone.
mlir::Operation* with_results(mlir::Operation* op, const llvm::BitVector& kept) {
  mlir::OpBuilder b(op);
  mlir::OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  llvm::SmallVector<unsigned> numbers;
  for (unsigned number : kept.set_bits()) {
    numbers.push_back(number);
    state.addTypes(op->getResult(number).getType());
  }
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  llvm::BitVector dropped = kept;
  dropped.flip();
  const std::optional<Loop> loop = loop_of(op);
  for (mlir::Region& region : op->getRegions()) {
    if (!loop || &region != loop->condition)
      yield_of(region)->eraseOperands(dropped);
    state.addRegion()->takeBody(region);
  }
  mlir::Operation* made = b.insert(mlir::Operation::create(state));
  derive::keep_results(op, made, numbers);
  keep_ref_names(op, made, numbers);
  for (auto [number, result] : llvm::zip_equal(numbers, made->getResults()))
    op->getResult(number).replaceAllUsesWith(result);
  op->dropAllUses(); // by what goes itself
  op->erase();
  return made;
}

/// Takes out operands whose arguments, from number `first` of each body on, nothing reads.
void drop_operands(mlir::Operation* op, mlir::MutableOperandRange operands, unsigned first) {
  for (unsigned place = operands.size(); place-- > 0;) {
    auto is_read = [&](mlir::Region& body) { return !body.getArgument(first + place).use_empty(); };
    if (llvm::any_of(op->getRegions(), is_read))
      continue;
    for (mlir::Region& body : op->getRegions())
      body.front().eraseArgument(first + place);
    operands.erase(place);
  }
}

void sweep(mlir::Block& block, const NeededValues& needed);

/// The loop or branch with those of its states and results that are needed, and what these read.
void narrow(mlir::Operation* op, const NeededValues& needed) {
  llvm::BitVector kept(op->getNumResults());
  for (mlir::OpResult result : op->getResults())
    if (needed.contains(result))
      kept.set(result.getResultNumber());
  if (!kept.all())
    op = with_results(op, kept);
  for (mlir::Region& region : op->getRegions())
    sweep(region.front(), needed);
  std::optional<Loop> loop = loop_of(op);
  if (!loop)
    return drop_operands(op, llvm::cast<ir::CondOp>(op).getCapturesMutable(), 0);
  for (unsigned state = loop->states(); state-- > 0;)
    if (!kept.test(state)) {
      for (mlir::Region& region : op->getRegions())
        region.front().eraseArgument(loop->first_state + state);
      loop->inits.erase(state);
    }
  loop = loop_of(op); // ranges as they are now
  unsigned first = loop->first_state + loop->states();
  for (mlir::MutableOperandRange operands : loop->others)
    first += operands.size();
  for (size_t range = loop->others.size(); range-- > 0;) {
    mlir::MutableOperandRange operands = loop_of(op)->others[range];
    first -= operands.size();
    drop_operands(op, operands, first);
  }
}

void sweep(mlir::Block& block, const NeededValues& needed) {
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (op.hasTrait<mlir::OpTrait::IsTerminator>())
      continue;
    if (!needed.contains(&op)) {
      op.dropAllUses();
      op.erase();
    } else if (loop_of(&op) || is_branch(&op)) {
      narrow(&op, needed);
    } else if (!llvm::isa<ir::CompositeOp>(op)) {
      for (mlir::Region& region : op.getRegions())
        for (mlir::Block& inner : region)
          sweep(inner, needed);
    }
  }
}

} // namespace

NeededValues::NeededValues(mlir::Block& block) {
  need_all(block.getTerminator()->getOperands());
  need_effects(block);
  follow();
}

NeededValues::NeededValues(mlir::Operation* loop, llvm::ArrayRef<unsigned> results)
    : within_(loop) {
  for (unsigned number : results)
    need(loop->getResult(number));
  follow();
}

void NeededValues::follow() {
  while (!left_.empty())
    visit(left_.pop_back_val());
}

void NeededValues::need(Value value) {
  if (within_ &&
      !within_->isAncestor(value.getDefiningOp() ? value.getDefiningOp()
                                                 : value.getParentBlock()->getParentOp()))
    return;
  if (values_.insert(value).second)
    left_.push_back(value);
}

void NeededValues::need_all(mlir::ValueRange values) {
  for (Value value : values)
    need(value);
}

/// What runs although nobody reads it.
void NeededValues::need_effects(mlir::Block& block) {
  for (mlir::Operation& op : block.without_terminator())
    if (!mlir::wouldOpBeTriviallyDead(&op))
      need_op(&op);
}

/// What the op needs whichever of its results are read.
void NeededValues::need_op(mlir::Operation* op) {
  if (!ops_.insert(op).second)
    return;
  const bool is_free = mlir::wouldOpBeTriviallyDead(op);
  const std::optional<Loop> loop = loop_of(op);
  if (loop) {
    need_all(op->getOperands().take_front(loop->first_init));
    if (loop->condition)
      need_all(yield_of(*loop->condition)->getOperands());
    const bool is_whole = op->hasAttr("late") || op->hasAttr("appended"); // states by number
    need_all(op->getResults().take_front(is_whole ? loop->states() : is_free ? 0 : 1));
  } else if (is_branch(op)) {
    need(op->getOperand(0));
  } else {
    need_all(op->getOperands());
    for (mlir::Region& region : op->getRegions())
      for (mlir::Block& block : region)
        need_all(block.getTerminator()->getOperands());
  }
  if (!is_free || (!loop && !is_branch(op)))
    for (mlir::Region& region : op->getRegions())
      for (mlir::Block& block : region)
        need_effects(block);
}

void NeededValues::visit(Value value) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    if (mlir::Operation* op = argument.getOwner()->getParentOp())
      need_argument(op, argument.getArgNumber());
    return;
  }
  auto result = llvm::cast<mlir::OpResult>(value);
  mlir::Operation* op = result.getOwner();
  const unsigned number = result.getResultNumber();
  need_op(op);
  if (is_branch(op))
    for (mlir::Region& branch : op->getRegions())
      need(yield_of(branch)->getOperand(number));
  const std::optional<Loop> loop = loop_of(op);
  if (!loop)
    return;
  need(yield_of(*loop->body)->getOperand(number));
  if (number < loop->states())
    need(op->getOperand(loop->first_init + number));
}

void NeededValues::need_argument(mlir::Operation* op, unsigned number) {
  if (is_branch(op))
    return need(op->getOperand(1 + number));
  const std::optional<Loop> loop = loop_of(op);
  if (!loop || number < loop->first_state)
    return;
  const unsigned index = number - loop->first_state;
  need(op->getOperand(loop->first_init + index));
  if (index < loop->states())
    need(op->getResult(index));
}

void drop_unread(mlir::Block& block) { sweep(block, NeededValues(block)); }

} // namespace kolam::transform
