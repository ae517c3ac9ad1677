/// What walks over a program share: a rule per op, found by overload; what stands for its values;
/// its ops in turn, at the user's line.
///
/// Checks, batches, streams, derivatives and checkify are sets of rules over these.
#pragma once

#include "kolam/ir/visit.h"
#include "kolam/transform/at_line.h"

#include "llvm/ADT/DenseMap.h"

namespace kolam::transform {

/// `rule(typed)`, where an overload takes the op as ForOp, SliceOp, ...; else `otherwise(op)`. The
/// rule is a lambda whose result type names the overload:
///
///     [&](auto typed) -> decltype(batch_rule(typed, operands, all)) { return batch_rule(...); }
template <class R, class Rule, class Otherwise>
R by_rule(mlir::Operation* op, const Rule& rule, const Otherwise& otherwise) {
  return ir::visit<R>(
      op,
      [&](auto typed) -> R {
        if constexpr (requires { rule(typed); })
          return rule(typed);
        else
          return otherwise(op);
      },
      otherwise);
}

/// The same where an op without an overload needs a row that says so: `has_none(typed)`, a lambda
/// like `rule`. An op with neither does not compile.
template <class R, class Rule, class HasNone, class Otherwise>
R by_rule_or_row(mlir::Operation* op, const Rule& rule, const HasNone& has_none,
                 const Otherwise& otherwise) {
  return ir::visit<R>(
      op,
      [&](auto typed) -> R {
        if constexpr (requires { rule(typed); })
          return rule(typed);
        else {
          static_assert(
              requires { has_none(typed); },
              "an op with neither a rule nor a row that says that it has none");
          return otherwise(op);
        }
      },
      otherwise);
}

/// What stands for the values of a program in another that is made of it.
template <class Stands> class Environment {
public:
  void set(mlir::Value value, Stands stands) { stands_[value] = std::move(stands); }
  template <class All> void set(mlir::ValueRange values, const All& all) {
    for (auto [value, stands] : llvm::zip(values, all))
      set(value, Stands(stands));
  }
  bool has(mlir::Value value) const { return stands_.contains(value); }
  /// An empty one for a value that nothing stands for.
  Stands at(mlir::Value value) const { return stands_.lookup(value); }
  std::vector<Stands> at(mlir::ValueRange values) const {
    std::vector<Stands> all;
    for (mlir::Value value : values)
      all.push_back(at(value));
    return all;
  }

private:
  llvm::DenseMap<mlir::Value, Stands> stands_;
};

/// `make` of the ops of a block in turn, but for its end: what it makes is at their lines.
template <class Make> void for_each_op(language::Builder& b, mlir::Block& block, const Make& make) {
  for (mlir::Operation& op : block.without_terminator()) {
    AtLine line(b, op.getLoc());
    make(&op);
  }
}

} // namespace kolam::transform
