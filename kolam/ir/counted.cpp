// Follows a scalar back through bodies and from step to step.
#include "kolam/ir/counted.h"

#include "kolam/ir/ops.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace kolam::ir {
namespace {

class Counted {
public:
  bool operator()(mlir::Value value) {
    if (rank_of(value) != 0)
      return false;
    if (!seen_.insert(value).second)
      return true; // a state that follows from itself
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
      return is_counted_argument(argument);
    mlir::Operation* op = value.getDefiningOp();
    return op->getNumRegions() == 0 && facts_of(op).runs == Runs::elements &&
           llvm::all_of(op->getOperands(), std::ref(*this));
  }

private:
  bool is_counted_argument(mlir::BlockArgument argument) {
    size_t number = argument.getArgNumber();
    return llvm::TypeSwitch<mlir::Operation*, bool>(argument.getOwner()->getParentOp())
        .Case<CondOp>([&](CondOp op) { return (*this)(op.getCaptures()[number]); })
        .Case<ForOp>([&](ForOp op) {
          return number == 0 || is_counted_state(op.getBody(), number - 1, op.getInits().size(), 0);
        })
        .Case<ScanOp>([&](ScanOp op) {
          return is_counted_state(op.getBody(), number, op.getInits().size(), op.getXs().size());
        })
        .Case<WhileOp>([&](WhileOp op) {
          return is_counted_state(op.getBody(), number, op.getInits().size(), 0);
        })
        .Default([](mlir::Operation*) { return false; });
  }

  /// An argument that is one of `states`, one of `xs` behind them, or a capture.
  bool is_counted_state(mlir::Region& body, size_t number, size_t states, size_t xs) {
    if (number >= states)
      return number >= states + xs;
    return (*this)(body.front().getTerminator()->getOperand(static_cast<unsigned>(number)));
  }

  llvm::DenseSet<mlir::Value> seen_;
};

} // namespace

bool is_counted(mlir::Value scalar) { return Counted()(scalar); }

} // namespace kolam::ir
