// Follows values of each instance through ops, loops and branches.
#include "kolam/transform/batch/each.h"

#include "kolam/ir/ops.h"
#include "kolam/language/collective.h"

#include "llvm/ADT/TypeSwitch.h"

namespace kolam::transform::batch {
namespace {

bool any_of(const Flags& flags) { return llvm::is_contained(flags, true); }

Flags part(const Flags& flags, size_t first, size_t count) {
  return Flags(flags.begin() + static_cast<int64_t>(first),
               flags.begin() + static_cast<int64_t>(first + count));
}

Flags joined(std::initializer_list<Flags> lists) {
  Flags all;
  for (const Flags& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// Whether a turn may change carried value `number`, whose argument is `first + number`.
bool is_changed(mlir::Region& body, size_t first, size_t number) {
  mlir::Block& block = body.front();
  return block.getTerminator()->getOperand(static_cast<unsigned>(number)) !=
         block.getArgument(static_cast<unsigned>(first + number));
}

/// The flags of what a loop carries, grown until a turn adds none. `turn(carried)` gives those of
/// what the body yields and whether instances stop at different turns.
template <class Turn>
Flags fixed_point(mlir::Region& body, size_t first, Flags carried, Turn turn) {
  while (true) {
    auto [yields, stops_apart] = turn(carried);
    Flags next = carried;
    for (size_t i = 0; i < carried.size(); ++i)
      next[i] = carried[i] || yields[i] || (stops_apart && is_changed(body, first, i));
    if (next == carried)
      return carried;
    carried = std::move(next);
  }
}

Flags of_for(ir::ForOp op, const Flags& operands, EachAnalysis& analysis) {
  size_t states = op.getInits().size();
  bool counts_apart = operands[0] || operands[1];
  Flags captures = part(operands, 2 + states, op.getCaptures().size());
  return fixed_point(op.getBody(), 1, part(operands, 2, states), [&](const Flags& carried) {
    return std::pair(analysis.yields(op.getBody(), joined({{counts_apart}, carried, captures})),
                     counts_apart);
  });
}

Flags of_while(ir::WhileOp op, const Flags& operands, EachAnalysis& analysis) {
  size_t states = op.getInits().size();
  Flags captures = part(operands, states, op.getCaptures().size());
  return fixed_point(op.getBody(), 0, part(operands, 0, states), [&](const Flags& carried) {
    Flags arguments = joined({carried, captures});
    return std::pair(analysis.yields(op.getBody(), arguments),
                     bool(analysis.yields(op.getCondition(), arguments)[0]));
  });
}

Flags of_scan(ir::ScanOp op, const Flags& operands, EachAnalysis& analysis) {
  size_t states = op.getInits().size();
  Flags others = part(operands, states, operands.size() - states);
  auto turn = [&](const Flags& carried) {
    return std::pair(analysis.yields(op.getBody(), joined({carried, others})), false);
  };
  Flags carried = fixed_point(op.getBody(), 0, part(operands, 0, states), turn);
  Flags yields = turn(carried).first;
  return joined({carried, part(yields, states, yields.size() - states)});
}

Flags of_cond(ir::CondOp op, const Flags& operands, EachAnalysis& analysis) {
  Flags flags(op.getNumResults(), operands[0]);
  for (mlir::Region& branch : op.getBranches()) {
    Flags yields = analysis.yields(branch, part(operands, 1, operands.size() - 1));
    for (size_t i = 0; i < flags.size(); ++i)
      flags[i] = flags[i] || yields[i];
  }
  return flags;
}

} // namespace

Flags EachAnalysis::results(mlir::Operation* op, const Flags& operands) {
  if (auto bind = llvm::dyn_cast<ir::BindExtentOp>(op); bind && operands[0])
    sizes_.insert(bind.getSymbol().str());
  auto key = std::tuple(op, operands, sizes_.size());
  auto known = found_.find(key);
  if (known != found_.end())
    return known->second;
  Flags flags = find(op, operands);
  found_.emplace(std::move(key), flags);
  return flags;
}

Flags EachAnalysis::find(mlir::Operation* op, const Flags& operands) {
  if (auto collective = language::collective_of(op); collective && collective->axis == axis_)
    return Flags(op->getNumResults(), false);
  if (auto call = llvm::dyn_cast<ir::KernelCallOp>(op)) {
    const Shape grid = call.getGrid().shape();
    const bool is_bounded = llvm::any_of(grid, [&](const Extent& extent) {
      return llvm::any_of(extent.symbols(),
                          [&](const auto& name) { return sizes_.contains(name); });
    });
    return Flags(op->getNumResults(), is_bounded || any_of(operands));
  }
  if (!any_of(operands))
    return Flags(op->getNumResults(), false);
  return llvm::TypeSwitch<mlir::Operation*, Flags>(op)
      .Case<ir::ForOp>([&](auto loop) { return of_for(loop, operands, *this); })
      .Case<ir::WhileOp>([&](auto loop) { return of_while(loop, operands, *this); })
      .Case<ir::ScanOp>([&](auto loop) { return of_scan(loop, operands, *this); })
      .Case<ir::CondOp>([&](auto choice) { return of_cond(choice, operands, *this); })
      .Default([](mlir::Operation* other) { return Flags(other->getNumResults(), true); });
}

Flags EachAnalysis::yields(mlir::Region& region, const Flags& arguments) {
  mlir::Block& block = region.front();
  llvm::DenseMap<mlir::Value, bool> flags;
  for (auto [argument, flag] : llvm::zip(block.getArguments(), arguments))
    flags[argument] = flag;
  auto flags_of = [&](mlir::Operation& op) {
    Flags result;
    for (mlir::Value operand : op.getOperands())
      result.push_back(flags.lookup(operand));
    return result;
  };
  for (mlir::Operation& op : block.without_terminator())
    for (auto [result, flag] : llvm::zip(op.getResults(), results(&op, flags_of(op))))
      flags[result] = flag;
  return flags_of(*block.getTerminator());
}

} // namespace kolam::transform::batch
