/// What the walk over a program knows at a place in it, and what it learns from ops that only say
/// where elements are; used by the files of the walk.
#pragma once

#include "kolam/analysis/block_walk.h"

#include "kolam/ir/ops.h"

#include "llvm/ADT/DenseSet.h"

namespace kolam::analysis {

using mlir::Operation;
using mlir::Value;

/// What is known of values so far.
class WalkState {
protected:
  int add_buffer(Walked::Buffer buffer);
  int constant();
  /// An argument, or what an op that is not looked into gives: lengths of its own for each level.
  Places own_buffer(const std::string& name, mlir::Type type, Operation* writer = nullptr);
  /// All dims where it lies in a block, then all places.
  Shape own_index(bool in_block, mlir::Type type) const;
  /// What a length of a level depends on: all dims, and the places around.
  Shape length_arguments(size_t level) const;
  /// The dims and places in an expression, in the arguments of its lengths too.
  std::set<std::string> free_variables(const Extent& expression) const;
  std::vector<Places> all(mlir::ValueRange values) const;

  Walked result_;
  Placing placing_{result_.terms};
  std::vector<Dim> dims_; ///< around the ops at hand
  llvm::DenseMap<Value, Places> places_;
  llvm::DenseSet<Value> constants_;
  int constant_ = -1; ///< their buffer
};

/// Follows accesses: ops that say where elements are, and not what they are.
class AccessWalk : protected WalkState {
protected:
  static bool is_access(Operation* op);
  void visit_access(Operation* op);

private:
  Extent by_data(const std::string& text, const Places& what, bool has_place = false);
  Extent number_or_data(Value scalar);
  Extent index_of(Value scalar, const Extent& length);
  Places accessed(ir::AccessOp op);
  Extent elements_of(const Places& list);
  Places flattened(const Places& list);
  Places joined(Operation* op);
  Extent joined_length(size_t level);
  Places packed(ir::PackOp op);
  Extent packed_row(size_t depth);
};

/// The integer that a scalar op computes of numbers that are known.
std::optional<Extent> number_of(Operation* op,
                                const std::function<std::optional<Extent>(Value)>& known);

/// `float32[1, 4]` of a tensor, or of the leaves of a list.
std::string leaf_text(mlir::Type type);
/// 0 for tensors.
size_t depth_of(mlir::Type type);

} // namespace kolam::analysis
