// Follows states to what they become, through ops that compute elements at their own index.
#include "kolam/nest/next_states.h"

#include "kolam/ir/element_loop.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

#include "llvm/ADT/SetVector.h"

namespace kolam::nest {
namespace {

/// The arguments of a block that are states of the loop whose steps it computes.
mlir::Block::BlockArgListType states_of(mlir::Block& block) {
  mlir::Operation* loop = block.getParentOp();
  if (!ir::is_loop(loop))
    return {};
  if (auto op = llvm::dyn_cast<ir::WhileOp>(loop); op && &op.getBody().front() != &block)
    return {};
  const size_t first = llvm::isa<ir::ForOp>(loop) ? 1 : 0; // behind the counter
  return block.getArguments().slice(first, ir::inits_of(loop).size());
}

/// The parts of a state that stand between it and computing `next` in its memory; none where there
/// are others, or something else reads the state.
std::vector<mlir::Value> parts_between(mlir::Value state, mlir::Value next) {
  std::vector<mlir::Value> parts;
  llvm::SetVector<mlir::Value> at_own_index;
  at_own_index.insert(state);
  for (size_t number = 0; number < at_own_index.size(); ++number) {
    mlir::Value value = at_own_index[number];
    if (value == next)
      continue; // it lies in memory, where others read it
    for (mlir::Operation* user : value.getUsers()) {
      const bool is_same_shape = user->getBlock() == next.getParentBlock() &&
                                 user->getNumResults() == 1 &&
                                 ir::shape_of(user->getResult(0)) == ir::shape_of(state);
      if (value == state && shows_part(user, value))
        parts.push_back(part_as_read(user->getResult(0)));
      else if (is_same_shape &&
               (llvm::isa<ir::ElementwiseOp>(user) || llvm::is_contained(changed_by(user), value)))
        at_own_index.insert(user->getResult(0));
      else
        return {};
    }
  }
  return at_own_index.contains(next) ? parts : std::vector<mlir::Value>();
}

} // namespace

void require_for_next_states(mlir::Block& block, const Machine& machine, Required& required) {
  for (auto [state, next] : llvm::zip(states_of(block), block.getTerminator()->getOperands())) {
    const double bytes = ir::rough_count(ir::shape_of(state)) * byte_width(ir::dtype_of(state));
    if (state == next || 2 * bytes <= static_cast<double>(machine.caches.second))
      continue;
    for (mlir::Value part : parts_between(state, next))
      required.try_emplace(part, "its consumer changes in place what it is a part of");
  }
}

} // namespace kolam::nest
