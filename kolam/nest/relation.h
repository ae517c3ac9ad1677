/// The access relation of a nest's ops.
#pragma once

#include "kolam/analysis/access.h"
#include "kolam/analysis/access_relation.h"

#include "llvm/ADT/ArrayRef.h"

namespace kolam::nest {

/// By which indices a root, with the producers that are computed inside it, reaches every element.
class NestRelation {
public:
  /// `fused`: consumers before producers. What else is read lies in memory.
  NestRelation(mlir::Operation* root, llvm::ArrayRef<mlir::Operation*> fused,
               analysis::Signatures& signatures);

  const analysis::AccessRelation& access() const { return relation_; }
  /// The value that a read or use is of.
  mlir::Value value_of(const analysis::RelationUse& use) const;
  /// The op that reads it.
  mlir::Operation* op_of(const analysis::RelationUse& use) const { return ops_[use.reader]; }

  /// Whether an op is asked for at the root's own index only.
  bool is_at_own_index(mlir::Operation* op) const;
  /// Whether an op is asked for at the root's own first `rank` coordinates, and has no more.
  bool is_at_own_places(mlir::Operation* op, int64_t rank) const;
  /// The number of the root's first coordinates at which alone an op is asked for; nullopt for an
  /// op that is asked for at other indices, or at several.
  std::optional<int64_t> own_rank(mlir::Operation* op) const;
  /// Whether an op is asked for at indices that depend on a root dim from `first` on.
  bool varies(mlir::Operation* op, int64_t first) const;
  /// Whether what an op combines over loops of its own lies side by side in memory along the root's
  /// last dim: of A' v, whose sums go down the columns of A, that holds, and of windows; of A v it
  /// does not.
  bool lies_across(mlir::Operation* op) const;

  /// Whether an op is asked for only at indices that depend on the root's dim.
  bool always_varies(mlir::Operation* op, int64_t dim) const;

private:
  int node_of(mlir::Operation* op) const;

  std::vector<mlir::Operation*> ops_; ///< by node
  analysis::AccessRelation relation_;
};

} // namespace kolam::nest
