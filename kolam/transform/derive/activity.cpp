// Follows active values through bodies.
#include "kolam/transform/derive/activity.h"

#include "kolam/ir/ops.h"

#include "llvm/ADT/TypeSwitch.h"

namespace kolam::transform::derive {
namespace {

Flags flags_of(mlir::ValueRange values, const llvm::DenseSet<Value>& active) {
  Flags flags;
  for (Value value : values)
    flags.push_back(active.contains(value));
  return flags;
}

Flags joined(std::initializer_list<Flags> parts) {
  Flags flags;
  for (const Flags& part : parts)
    llvm::append_range(flags, part);
  return flags;
}

class Walk {
public:
  Walk(Activity& activity, Counts counts, mlir::Block& block, llvm::DenseSet<Value> active)
      : active(std::move(active)), activity_(activity), counts_(counts) {
    for (mlir::Operation& op : block)
      if (any_of(op.getOperands())) {
        activity_.note_lengths(&op, [&](Value value) { return active.contains(value); });
        visit(&op);
      }
  }

  llvm::DenseSet<Value> active;

private:
  bool any_of(mlir::ValueRange values) const {
    return llvm::any_of(values, [&](Value value) { return active.contains(value); });
  }
  Flags of(mlir::ValueRange values) const { return flags_of(values, active); }
  void visit(mlir::Operation* op) {
    Flags flags =
        llvm::TypeSwitch<mlir::Operation*, Flags>(op)
            .Case<ir::ScanOp>([&](auto loop) { return of_scan(loop); })
            .Case<ir::ForOp>([&](auto loop) { return of_for(loop); })
            .Case<ir::WhileOp>([&](auto loop) { return of_while(loop); })
            .Case<ir::CondOp>([&](auto choice) { return of_cond(choice); })
            .Case<ir::ListMapOp, ir::ListScanOp>([&](auto loop) { return of_list_loop(loop); })
            .Case<ir::ListLengthOp>([&](auto) { return Flags{activity_.are_lengths_active()}; })
            .Case<ir::UnpackOp>([&](auto unpack) {
              Flags flags(unpack->getNumResults(), activity_.are_lengths_active());
              flags[0] = true; // the leaves
              return flags;
            })
            .Default([](mlir::Operation* other) { return Flags(other->getNumResults(), true); });
    for (auto [result, is_active] : llvm::zip(op->getResults(), flags))
      if (is_active && (counts_ == Counts::all || is_differentiable(result.getType())))
        active.insert(result);
  }
  /// Of an op of which an active value decides what runs.
  std::optional<Flags> where_decided(mlir::Operation* op, bool is_decided) const {
    if (counts_ == Counts::all && is_decided)
      return Flags(op->getNumResults(), true);
    return std::nullopt;
  }
  Flags of_scan(ir::ScanOp op) {
    Flags arguments = joined({of(op.getInits()), of(op.getXs()), of(op.getCaptures())});
    arguments = activity_.of_states(op.getBody(), arguments, 0, op.getInits().size());
    return activity_.of_results(op.getBody(), arguments);
  }
  Flags of_for(ir::ForOp op) {
    if (auto all = where_decided(op, any_of({op.getLower(), op.getUpper()})))
      return *all;
    Flags arguments = joined({{false}, of(op.getInits()), of(op.getCaptures())});
    arguments = activity_.of_states(op.getBody(), arguments, 1, op.getInits().size());
    return Flags(arguments.begin() + 1,
                 arguments.begin() + 1 + static_cast<int64_t>(op.getInits().size()));
  }
  Flags of_while(ir::WhileOp op) {
    Flags arguments = joined({of(op.getInits()), of(op.getCaptures())});
    arguments = activity_.of_states(op.getBody(), arguments, 0, op.getInits().size());
    if (auto all = where_decided(op, activity_.of_results(op.getCondition(), arguments)[0]))
      return *all;
    return Flags(arguments.begin(), arguments.begin() + static_cast<int64_t>(op.getInits().size()));
  }
  Flags of_cond(ir::CondOp op) {
    if (auto all = where_decided(op, any_of({op.getSelector()})))
      return *all;
    Flags any(op->getNumResults(), false);
    for (mlir::Region& branch : op.getBranches())
      for (auto [number, is_active] :
           llvm::enumerate(activity_.of_results(branch, of(op.getCaptures()))))
        any[number] = any[number] || is_active;
    return any;
  }

  /// Of floats all results: their loops look for themselves.
  template <class Op> Flags of_list_loop(Op op) {
    if (counts_ == Counts::floats)
      return Flags(op->getNumResults(), true);
    Flags arguments = of(op->getOperands());
    if constexpr (std::is_same_v<Op, ir::ListMapOp>) {
      return activity_.of_results(op.getBody(), arguments);
    } else {
      const size_t states = op.getInits().size();
      arguments = activity_.of_states(op.getBody(), arguments, 0, states);
      return joined({Flags(arguments.begin(), arguments.begin() + static_cast<int64_t>(states)),
                     activity_.of_results(op.getBody(), arguments)});
    }
  }

  Activity& activity_;
  Counts counts_;
};

} // namespace

Flags Activity::of_results(mlir::Region& body, const Flags& arguments) {
  std::pair key(&body, std::vector<bool>(arguments.begin(), arguments.end()));
  if (auto found = known_.find(key); found != known_.end())
    return found->second;
  llvm::DenseSet<Value> active;
  for (auto [argument, is_active] : llvm::zip(body.getArguments(), arguments))
    if (is_active)
      active.insert(argument);
  Flags results = flags_of(body.front().getTerminator()->getOperands(),
                           of_block(body.front(), std::move(active)));
  known_.emplace(std::move(key), results);
  return results;
}

void Activity::note_lengths(mlir::Operation* op, llvm::function_ref<bool(Value)> is_active) {
  if (auto pack = llvm::dyn_cast<ir::PackOp>(op))
    are_lengths_active_ |= llvm::any_of(pack.getOffsets(), is_active);
  else if (auto filter = llvm::dyn_cast<ir::ListFilterOp>(op))
    are_lengths_active_ |= is_active(filter.getMask());
  else if (auto access = llvm::dyn_cast<ir::AccessOp>(op))
    are_lengths_active_ |= llvm::any_of(access.getScalars(), is_active);
}

llvm::DenseSet<Value> Activity::of_block(mlir::Block& block, llvm::DenseSet<Value> values) {
  return Walk(*this, counts_, block, std::move(values)).active;
}

Flags Activity::of_states(mlir::Region& body, Flags arguments, size_t first, size_t states) {
  for (bool changed = true; changed;) {
    changed = false;
    Flags results = of_results(body, arguments);
    for (size_t state = 0; state < states; ++state)
      if (results[state] && !arguments[first + state])
        arguments[first + state] = changed = true;
  }
  return arguments;
}

} // namespace kolam::transform::derive
