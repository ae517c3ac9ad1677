/// Takes out of loops what nobody reads.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace kolam::transform {

/// The values that some values need, also in loops and branches, whose states and stacked results
/// are needed one by one.
class NeededValues {
public:
  /// What the results of a block and its effects need.
  explicit NeededValues(mlir::Block& block);
  /// What some results of a loop need inside of it.
  NeededValues(mlir::Operation* loop, llvm::ArrayRef<unsigned> results);
  bool contains(mlir::Value value) const { return values_.contains(value); }
  bool any_result_of(mlir::Operation* op) const;

private:
  void follow();
  void need(mlir::Value value);
  void need_all(mlir::Operation* op);
  void need_effects(mlir::Block& block);
  void visit(mlir::Value value);
  void need_result(mlir::Operation* op, unsigned number);
  void need_argument(mlir::Operation* op, unsigned number);

  mlir::Operation* within_ = nullptr; ///< values outside of it are not looked at
  llvm::DenseSet<mlir::Value> values_;
  llvm::SmallVector<mlir::Value> left_;
};

/// Drops ops of a block whose results nothing uses, and of its loops the states and stacked results
/// that no result of the block needs, also of loops and branches inside: a state that only its own
/// next value reads is none of a result's.
///
///     for i < n: (s, t) = (f(s), g(s, t))   of which s is read   becomes   for i < n: s = f(s)
void drop_dead_states(mlir::Block& block);

} // namespace kolam::transform
