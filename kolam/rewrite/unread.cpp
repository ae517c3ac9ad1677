// Goes through blocks from their ends, so that what one op reads no more is not read.
#include "kolam/rewrite/unread.h"

#include "kolam/ir/ops.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kolam::rewrite {
namespace {

/// The op with those of its results that are read; those from `first` on may go.
mlir::Operation* with_read_results(mlir::Operation* op, unsigned first) {
  llvm::SmallVector<unsigned> unread;
  for (unsigned number = first; number < op->getNumResults(); ++number)
    if (op->getResult(number).use_empty())
      unread.push_back(number);
  if (unread.empty())
    return op;
  mlir::OpBuilder b(op);
  mlir::OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  for (mlir::Value result : op->getResults())
    if (!llvm::is_contained(unread, llvm::cast<mlir::OpResult>(result).getResultNumber()))
      state.addTypes(result.getType());
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (mlir::Region& region : op->getRegions()) {
    mlir::Operation* yield = region.front().getTerminator();
    for (unsigned number : llvm::reverse(unread))
      yield->eraseOperand(number);
    state.addRegion()->takeBody(region);
  }
  mlir::Operation* made = b.insert(mlir::Operation::create(state));
  unsigned next = 0;
  for (mlir::Value result : op->getResults())
    if (!llvm::is_contained(unread, llvm::cast<mlir::OpResult>(result).getResultNumber()))
      result.replaceAllUsesWith(made->getResult(next++));
  op->erase();
  return made;
}

/// Of operands whose arguments stand from `first` on in each body, those that none reads.
void drop_unread_operands(mlir::Operation* op, mlir::MutableOperandRange operands, unsigned first) {
  for (unsigned place = operands.size(); place-- > 0;) {
    auto argument_of = [&](mlir::Region& body) { return body.getArgument(first + place); };
    if (llvm::any_of(op->getRegions(),
                     [&](mlir::Region& body) { return !argument_of(body).use_empty(); }))
      continue;
    for (mlir::Region& body : op->getRegions())
      body.front().eraseArgument(first + place);
    operands.erase(place);
  }
}

void drop_unread(mlir::Block& block) {
  for (mlir::Operation& each : llvm::make_early_inc_range(llvm::reverse(block))) {
    mlir::Operation* op = &each;
    if (mlir::isOpTriviallyDead(op)) {
      op->erase();
      continue;
    }
    if (auto scan = llvm::dyn_cast<ir::ScanOp>(op))
      op = with_read_results(op, static_cast<unsigned>(scan.getInits().size()));
    else if (llvm::isa<ir::CondOp>(op) && !op->hasAttr("late"))
      op = with_read_results(op, 0);
    for (mlir::Region& region : op->getRegions())
      for (mlir::Block& inner : region)
        drop_unread(inner);
    if (auto scan = llvm::dyn_cast<ir::ScanOp>(op)) {
      const auto states = static_cast<unsigned>(scan.getInits().size());
      drop_unread_operands(op, scan.getCapturesMutable(),
                           states + static_cast<unsigned>(scan.getXs().size()));
      drop_unread_operands(op, scan.getXsMutable(), states);
    } else if (auto choice = llvm::dyn_cast<ir::CondOp>(op)) {
      drop_unread_operands(op, choice.getCapturesMutable(), 0);
    }
  }
}

} // namespace

void drop_unread(mlir::ModuleOp module) { drop_unread(*module.getBody()); }

} // namespace kolam::rewrite
