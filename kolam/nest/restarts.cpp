// Looks at the uses of a scan's states.
#include "kolam/nest/restarts.h"

#include "kolam/ir/ops.h"
#include "kolam/support/elementwise.h"

#include "llvm/ADT/DenseSet.h"

namespace kolam::nest {
namespace {

/// The condition of `where(condition, anew, state)`; null for another use of a state.
mlir::Value restarted_by(mlir::OpOperand& use) {
  auto op = llvm::dyn_cast<ir::ElementwiseOp>(use.getOwner());
  bool is_where = op && parse_fn(op.getFunction()) == Fn::where && use.getOperandNumber() == 2;
  return is_where ? op->getOperand(0) : mlir::Value();
}

/// The states, and all that is computed of them.
llvm::DenseSet<mlir::Value> computed_of_states(mlir::Block& body, unsigned states) {
  llvm::DenseSet<mlir::Value> found;
  for (mlir::Value state : body.getArguments().take_front(states))
    found.insert(state);
  for (mlir::Operation& op : body.without_terminator())
    if (llvm::any_of(op.getOperands(), [&](mlir::Value x) { return found.contains(x); }))
      found.insert(op.result_begin(), op.result_end());
  return found;
}

} // namespace

std::optional<unsigned> restarts_by(const Nest& nest) {
  auto scan = llvm::dyn_cast<ir::ScanOp>(nest.root);
  if (!scan || ir::rank_of(scan.getResult(0)) != 0)
    return std::nullopt;
  auto states = static_cast<unsigned>(scan.getInits().size());
  mlir::Block& body = scan.getBody().front();
  auto is_read = [&](mlir::Value result) { return llvm::is_contained(nest.outputs, result); };
  auto has_regions = [](mlir::Operation& op) { return op.getNumRegions() > 0; };
  if (llvm::any_of(scan.getResults().take_front(states), is_read) ||
      llvm::any_of(body.without_terminator(), has_regions))
    return std::nullopt;
  llvm::DenseSet<mlir::Value> of_states = computed_of_states(body, states);
  mlir::Value starts;
  for (mlir::BlockArgument state : body.getArguments().take_front(states))
    for (mlir::OpOperand& use : state.getUses()) {
      mlir::Value condition = restarted_by(use);
      if (!condition || (starts && condition != starts) ||
          of_states.contains(use.getOwner()->getOperand(1)))
        return std::nullopt;
      starts = condition;
    }
  auto argument = llvm::dyn_cast_if_present<mlir::BlockArgument>(starts);
  if (!argument || argument.getArgNumber() < states ||
      argument.getArgNumber() >= states + scan.getXs().size() ||
      ir::rank_of(scan.getXs()[argument.getArgNumber() - states]) != 1)
    return std::nullopt;
  return argument.getArgNumber() - states;
}

} // namespace kolam::nest
