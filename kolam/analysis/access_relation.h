/// By which indices a loop nest reaches every element that it reads or computes on the way.
#pragma once

#include "kolam/analysis/composed_index.h"

namespace kolam::analysis {

/// An index at which a node reads one of its operands, for one index at which the node itself is
/// asked for.
struct RelationUse {
  int reader;       ///< the node that reads
  int operand;      ///< of the reader's signature
  RelationIndex at; ///< by dim of the operand
  friend bool operator==(const RelationUse&, const RelationUse&) = default;
};

/// An op of a nest. Its operands are those of its signature, results last.
struct RelationNode {
  const space::Signature* signature;
  /// For each operand that is read the node that computes it inside the nest; -1: it is in memory.
  std::vector<int> producers;
  /// The segments by which the node goes along its first dim, and those in which an index of the
  /// node lies where operand 0 is read at the row of that segment; null: there are none.
  const void* goes_by = nullptr;
  const void* reads_by = nullptr;
};

/// The composed access maps of a nest along every path from its root.
///
/// Loops 0 to rank - 1 are the dims of the root's result. A node that is asked for at an index
/// walks by itself over those dims of its signature that the index does not say (reduced dims,
/// windows): one loop for each, for each different index.
///
///     y[i] = sum over r of x[i + r]    has loops i, r; x is read at i + r
class AccessRelation {
public:
  /// Consumers before producers: the root is node 0. Signatures outlive the relation.
  explicit AccessRelation(std::vector<RelationNode> nodes);

  const std::vector<RelationLoop>& loops() const { return composer_.loops(); }
  /// The different indices at which a node is asked for; of the root the one at its own loops.
  const std::vector<RelationIndex>& indices(int node) const { return indices_[node]; }
  /// The different reads of what is in memory, in order.
  const std::vector<RelationUse>& reads() const { return reads_; }
  /// Every read, also of what other nodes compute.
  const std::vector<RelationUse>& uses() const { return uses_; }

  /// Whether a node is asked for at the loops of the root's results only, in order.
  bool is_at_own_index(int node) const;
  /// Whether some index begins with the first `rank` loops of the root's results, and ends there.
  bool is_at_own_places(int node, int rank) const;
  /// Whether an index of the node depends on one of the loops from `first` to the results' rank.
  bool varies(int node, int first) const;
  /// The dims of the root's result.
  int rank() const { return rank_; }

private:
  void follow(int node, const RelationIndex& result);

  std::vector<RelationNode> nodes_;
  IndexComposer composer_;
  std::vector<std::vector<RelationIndex>> indices_; ///< by node
  std::vector<RelationUse> reads_, uses_;
  int rank_ = 0;
};

} // namespace kolam::analysis
