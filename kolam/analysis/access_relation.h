/// By which indices a loop nest reaches every element that it reads or computes on the way.
#pragma once

#include "kolam/space/signature.h"

#include <optional>
#include <vector>

namespace kolam::analysis {

/// A loop of a nest: a dim of its results, or a dim over which an op inside walks by itself.
struct RelationLoop {
  int node; ///< whose index dim it is
  int dim;  ///< of that node's signature; -1: along a window that it reads
  Extent extent;
  space::DimKind kind;
  std::vector<int> around; ///< the loops on which the index depends at which the node is asked for
};

/// One coordinate of an index as a function of the loops.
struct RelationCoordinate {
  /// The quasi-affine function, without trailing zeros; nullopt where there is none.
  std::optional<space::AffineRow> row;
  /// The loops on which it depends, ascending. All of them where no more is known.
  std::vector<int> loops;
  /// Where there is no row: coordinates of one number are equal at equal loops.
  int unknown = -1;
  friend bool operator==(const RelationCoordinate&, const RelationCoordinate&) = default;

  /// The loop whose number it is; -1 for any other function.
  int copied_loop() const;
  bool is_constant() const { return loops.empty() && row.has_value(); }
  bool depends_on(int loop) const;
  /// Whether the next number of the loop gives the next coordinate.
  bool steps_by_one(int loop) const;
};
using RelationIndex = std::vector<RelationCoordinate>;

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
};

/// The composed access maps of a nest, by `space::compose`, along every path from its root.
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

  const std::vector<RelationLoop>& loops() const { return loops_; }
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
  int add_loop(RelationLoop loop);
  RelationIndex own_index(int node, const RelationIndex& result);
  RelationIndex read_index(int node, int operand, const RelationIndex& index);
  RelationCoordinate unknown_of(std::vector<int> loops);
  void follow(int node, const RelationIndex& result);

  std::vector<RelationNode> nodes_;
  std::vector<RelationLoop> loops_;
  std::vector<std::vector<RelationIndex>> indices_; ///< by node
  std::vector<RelationUse> reads_, uses_;
  int rank_ = 0, unknowns_ = 0;
};

} // namespace kolam::analysis
