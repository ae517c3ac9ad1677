/// Takes out of programs what nobody reads.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace kolam::transform {

/// What some values need, also in loops and branches, whose states and results are needed one by
/// one.
class NeededValues {
public:
  /// What the results of a block, and what it does beside these, need.
  explicit NeededValues(mlir::Block& block);
  /// What some results of a loop need inside of it.
  NeededValues(mlir::Operation* loop, llvm::ArrayRef<unsigned> results);
  bool contains(mlir::Operation* op) const { return ops_.contains(op); }
  bool contains(mlir::Value value) const { return values_.contains(value); }

private:
  void follow();
  void need(mlir::Value value);
  void need_all(mlir::ValueRange values);
  void need_effects(mlir::Block& block);
  void need_op(mlir::Operation* op);
  void need_argument(mlir::Operation* op, unsigned number);
  void visit(mlir::Value value);

  mlir::Operation* within_ = nullptr; ///< values outside of it are not looked at
  llvm::DenseSet<mlir::Value> values_;
  llvm::DenseSet<mlir::Operation*> ops_;
  llvm::SmallVector<mlir::Value> left_;
};

/// Drops ops that no result of the block needs and that do nothing else. Of loops and branches,
/// also of those inside, go the states and results that no result needs, and what they take that
/// their bodies do not read: a state that only its own next value reads is none of a result's.
///
///     (s, t, y) = scan over x, u: (f(s, x), g(s, t), h(t))   of which s is read
///   = s = scan over x: f(s, x)
///
/// What stands in composites stays: transformations may yet read it.
void drop_unread(mlir::Block& block);

} // namespace kolam::transform
