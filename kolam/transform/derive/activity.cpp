// Follows active values through bodies.
#include "kolam/transform/derive/activity.h"

#include "kolam/ir/ops.h"

#include "llvm/ADT/DenseSet.h"
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
  Walk(Activity& activity, mlir::Region& body, const Flags& arguments) : activity_(activity) {
    for (auto [argument, is_active] : llvm::zip(body.getArguments(), arguments))
      if (is_active)
        active_.insert(argument);
    for (mlir::Operation& op : body.front().without_terminator())
      if (llvm::any_of(op.getOperands(), [&](Value value) { return active_.contains(value); }))
        visit(&op);
  }
  Flags of(mlir::ValueRange values) const { return flags_of(values, active_); }

private:
  void visit(mlir::Operation* op) {
    Flags flags =
        llvm::TypeSwitch<mlir::Operation*, Flags>(op)
            .Case<ir::ScanOp>([&](auto loop) { return of_scan(loop); })
            .Case<ir::ForOp>([&](auto loop) { return of_for(loop); })
            .Case<ir::WhileOp>([&](auto loop) { return of_while(loop); })
            .Case<ir::CondOp>([&](auto choice) { return of_cond(choice); })
            .Default([](mlir::Operation* other) { return Flags(other->getNumResults(), true); });
    for (auto [result, is_active] : llvm::zip(op->getResults(), flags))
      if (is_active && is_differentiable(result.getType()))
        active_.insert(result);
  }
  Flags of_scan(ir::ScanOp op) {
    Flags arguments = joined({of(op.getInits()), of(op.getXs()), of(op.getCaptures())});
    arguments = activity_.of_states(op.getBody(), arguments, 0, op.getInits().size());
    return activity_.of_results(op.getBody(), arguments);
  }
  Flags of_for(ir::ForOp op) {
    Flags arguments = joined({{false}, of(op.getInits()), of(op.getCaptures())});
    arguments = activity_.of_states(op.getBody(), arguments, 1, op.getInits().size());
    return Flags(arguments.begin() + 1,
                 arguments.begin() + 1 + static_cast<int64_t>(op.getInits().size()));
  }
  Flags of_while(ir::WhileOp op) {
    Flags arguments = joined({of(op.getInits()), of(op.getCaptures())});
    arguments = activity_.of_states(op.getBody(), arguments, 0, op.getInits().size());
    return Flags(arguments.begin(), arguments.begin() + static_cast<int64_t>(op.getInits().size()));
  }
  Flags of_cond(ir::CondOp op) {
    Flags any(op->getNumResults(), false);
    for (mlir::Region& branch : op.getBranches())
      for (auto [number, is_active] :
           llvm::enumerate(activity_.of_results(branch, of(op.getCaptures()))))
        any[number] = any[number] || is_active;
    return any;
  }

  Activity& activity_;
  llvm::DenseSet<Value> active_;
};

} // namespace

Flags Activity::of_results(mlir::Region& body, const Flags& arguments) {
  std::pair key(&body, std::vector<bool>(arguments.begin(), arguments.end()));
  if (auto found = known_.find(key); found != known_.end())
    return found->second;
  Flags results = Walk(*this, body, arguments).of(body.front().getTerminator()->getOperands());
  known_.emplace(std::move(key), results);
  return results;
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
