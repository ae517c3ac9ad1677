// Makes loops of a part of the states of others.
#include "kolam/nest/loop_parts.h"

#include "kolam/ir/element_loop.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/nest/changes.h"
#include "kolam/nest/few_numbers.h"
#include "kolam/nest/stacked_rows.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace kolam::nest {
namespace {

/// Numbers of what a loop carries and, behind that, of what its steps stack.
using Chosen = llvm::SmallVector<unsigned>;

mlir::SmallVector<mlir::Value> pick(mlir::ValueRange values, const Chosen& chosen) {
  mlir::SmallVector<mlir::Value> picked;
  for (unsigned number : chosen)
    if (number < values.size())
      picked.push_back(values[number]);
  return picked;
}

/// What a body yields for the chosen states; a condition yields one value for all.
mlir::SmallVector<mlir::Value> yields_of(mlir::Block& body, const Chosen& chosen,
                                         bool is_condition) {
  mlir::ValueRange all = body.getTerminator()->getOperands();
  return is_condition ? mlir::SmallVector<mlir::Value>(all) : pick(all, chosen);
}

/// The values, and all that is computed on the way to them.
llvm::SetVector<mlir::Value> needed_by(mlir::ArrayRef<mlir::Value> values) {
  llvm::SetVector<mlir::Value> needed(values.begin(), values.end());
  for (size_t next = 0; next < needed.size(); ++next)
    if (mlir::Operation* op = needed[next].getDefiningOp())
      needed.insert(op->operand_begin(), op->operand_end());
  return needed;
}

/// Copies of a region's ops that its chosen yields need, over the chosen of its `states` states.
/// The arguments of states begin at number `first`.
void copy_part(mlir::Region& from, mlir::Region& to, const Chosen& chosen, unsigned first,
               unsigned states, bool is_condition) {
  mlir::Block& source = from.front();
  mlir::Block& block = to.emplaceBlock();
  mlir::IRMapping mapping;
  auto add = [&](mlir::BlockArgument argument) {
    mapping.map(argument, block.addArgument(argument.getType(), argument.getLoc()));
  };
  for (unsigned number = 0; number < first; ++number)
    add(source.getArgument(number));
  for (unsigned number : chosen)
    if (number < states)
      add(source.getArgument(first + number));
  for (unsigned number = first + states; number < source.getNumArguments(); ++number)
    add(source.getArgument(number));

  mlir::SmallVector<mlir::Value> yields = yields_of(source, chosen, is_condition);
  llvm::SetVector<mlir::Value> needed = needed_by(yields);
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&block);
  for (mlir::Operation& op : source.without_terminator())
    if (llvm::any_of(op.getResults(), [&](mlir::Value value) { return needed.contains(value); }))
      builder.clone(op, mapping);
  mlir::SmallVector<mlir::Value> mapped;
  for (mlir::Value value : yields)
    mapped.push_back(mapping.lookupOrDefault(value));
  ir::YieldOp::create(builder, source.getTerminator()->getLoc(), mapped);
}

/// Whether a chosen part needs no state outside it.
bool is_closed(mlir::Region& region, const Chosen& chosen, unsigned first, unsigned states,
               bool is_condition) {
  return llvm::all_of(needed_by(yields_of(region.front(), chosen, is_condition)),
                      [&](mlir::Value value) {
                        auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
                        if (!argument || argument.getArgNumber() < first ||
                            argument.getArgNumber() >= first + states)
                          return true;
                        return llvm::is_contained(chosen, argument.getArgNumber() - first);
                      });
}

mlir::Operation* copy_of_part(ir::ForOp op, const Chosen& chosen, mlir::OpBuilder& builder) {
  mlir::SmallVector<mlir::Value> results = pick(op.getResults(), chosen);
  auto part =
      ir::ForOp::create(builder, op.getLoc(), mlir::ValueRange(results).getTypes(), op.getLower(),
                        op.getUpper(), pick(op.getInits(), chosen), op.getCaptures());
  copy_part(op.getBody(), part.getBody(), chosen, 1, op.getInits().size(), false);
  return part;
}

mlir::Operation* copy_of_part(ir::WhileOp op, const Chosen& chosen, mlir::OpBuilder& builder) {
  mlir::SmallVector<mlir::Value> results = pick(op.getResults(), chosen);
  auto part = ir::WhileOp::create(builder, op.getLoc(), mlir::ValueRange(results).getTypes(),
                                  pick(op.getInits(), chosen), op.getCaptures());
  unsigned states = op.getInits().size();
  copy_part(op.getCondition(), part.getCondition(), chosen, 0, states, true);
  copy_part(op.getBody(), part.getBody(), chosen, 0, states, false);
  return part;
}

mlir::Operation* copy_of_part(ir::ScanOp op, const Chosen& chosen, mlir::OpBuilder& builder) {
  mlir::SmallVector<mlir::Value> results = pick(op.getResults(), chosen);
  auto part = ir::ScanOp::create(builder, op.getLoc(), mlir::ValueRange(results).getTypes(),
                                 pick(op.getInits(), chosen), op.getXs(), op.getCaptures(),
                                 op.getLength(), op.getReverse());
  copy_part(op.getBody(), part.getBody(), chosen, 0, op.getInits().size(), false);
  return part;
}

bool is_closed(ir::ForOp op, const Chosen& chosen) {
  return is_closed(op.getBody(), chosen, 1, op.getInits().size(), false);
}
bool is_closed(ir::WhileOp op, const Chosen& chosen) {
  unsigned states = op.getInits().size();
  return is_closed(op.getCondition(), chosen, 0, states, true) &&
         is_closed(op.getBody(), chosen, 0, states, false);
}
bool is_closed(ir::ScanOp op, const Chosen& chosen) {
  return is_closed(op.getBody(), chosen, 0, op.getInits().size(), false);
}

/// Whether a body checks something, calls the host, or does more than compute in another way. Parts
/// have what their results need only.
bool has_effects(mlir::Operation* loop) {
  return loop
      ->walk([&](mlir::Operation* inner) {
        bool is_effect = inner != loop && ir::facts_of(inner).effect != ir::Effect::none;
        return is_effect ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Puts scalars behind arrays, and those that are read into a loop of their own. Leaves a loop as
/// it is where its arrays are not computed element by element; says whether it has gone.
template <class Op> bool part_scalars(Op op) {
  unsigned states = op.getInits().size();
  Chosen scalars, all;
  for (mlir::OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    bool is_scalar = number < states ? ir::rank_of(result) == 0
                                     : ir::rank_of(result) == 1; // a scalar of each step
    (is_scalar ? scalars : all).push_back(number);
  }
  if (scalars.empty() || all.empty() || has_effects(op) || !ir::late_symbols(op).empty())
    return false;
  bool are_read =
      llvm::any_of(scalars, [&](unsigned number) { return !op->getResult(number).use_empty(); });
  if (are_read ? !is_closed(op, scalars) : all.back() < scalars.front())
    return false;
  // Arrays first, the scalars that they need behind them; what steps stack comes last.
  Chosen order;
  for (unsigned number : all)
    if (number < states)
      order.push_back(number);
  for (unsigned number : scalars)
    if (number < states)
      order.push_back(number);
  for (unsigned number : all)
    if (number >= states)
      order.push_back(number);
  mlir::OpBuilder builder(op);
  mlir::Operation* arrays = copy_of_part(op, order, builder);
  if (!ir::pointwise(arrays).why_not.empty()) {
    arrays->erase();
    return false;
  }
  for (auto [number, result] : llvm::zip(order, arrays->getResults()))
    if (!llvm::is_contained(scalars, number))
      op->getResult(number).replaceAllUsesWith(result);
  if (are_read) {
    mlir::Operation* own = copy_of_part(op, scalars, builder);
    for (auto [number, result] : llvm::zip(scalars, own->getResults()))
      op->getResult(number).replaceAllUsesWith(result);
  }
  op.erase();
  return true;
}

template <class Op> void part(Op loop) {
  if (!part_scalars(loop))
    carry_numbers(loop);
}

/// Moves the tables of a loop's or branch's bodies in front of it.
template <class Op> void capture_tables(Op op) {
  for (mlir::Region& region : op->getRegions())
    for (mlir::Operation& inner : llvm::make_early_inc_range(region.front())) {
      auto constant = llvm::dyn_cast<ir::ConstantOp>(inner);
      if (!constant || llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat())
        continue;
      constant->moveBefore(op);
      op.getCapturesMutable().append(constant.getResult());
      for (mlir::Region& other : op->getRegions()) {
        mlir::Value argument = other.front().addArgument(constant.getType(), constant.getLoc());
        if (&other == &region)
          constant.getResult().replaceUsesWithIf(argument, [&](mlir::OpOperand& use) {
            return region.isAncestor(use.getOwner()->getParentRegion());
          });
      }
    }
}

/// Marks loops that change single elements of arrays; their bodies read before they change.
void find_element_loops(mlir::Block& block) {
  for (mlir::Operation& op : block) {
    if (!ir::is_loop(&op) || ir::pointwise(&op).why_not.empty())
      continue;
    for (mlir::Region& region : op.getRegions())
      move_changes_back(region.front());
    if (ir::why_not_by_elements(&op).empty())
      ir::set_by_elements(&op);
  }
}

} // namespace

void part_loops(mlir::Block& block) {
  for (mlir::Operation& op : llvm::make_early_inc_range(block)) {
    for (mlir::Region& region : op.getRegions())
      for (mlir::Block& inner : region)
        part_loops(inner);
    llvm::TypeSwitch<mlir::Operation*>(&op)
        .Case<ir::WhileOp, ir::ScanOp>([](auto loop) {
          capture_tables(loop);
          part(loop);
        })
        .Case<ir::ForOp>([](ir::ForOp loop) {
          capture_tables(loop);
          if (ir::ScanOp scan = stack_rows(loop))
            part(scan);
          else
            part(loop);
        })
        .Case<ir::CondOp>([](auto branch) { capture_tables(branch); });
  }
  find_element_loops(block);
}

} // namespace kolam::nest
