/// Indices as functions of the loops of a nest, composed along the reads of its ops.
#pragma once

#include "kolam/space/signature.h"

#include <map>
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
  bool is_by_data = false; ///< there is no row, as data decides
  friend bool operator==(const RelationCoordinate&, const RelationCoordinate&) = default;

  /// The loop whose number it is.
  static RelationCoordinate of_loop(int loop);
  /// The loop whose number it is; -1 for any other function.
  int copied_loop() const;
  bool is_constant() const { return loops.empty() && row.has_value(); }
  bool depends_on(int loop) const;
  /// Whether the next number of the loop gives the next coordinate.
  bool steps_by_one(int loop) const;
};
using RelationIndex = std::vector<RelationCoordinate>;

/// The loops on which some coordinate depends, ascending.
std::vector<int> loops_of(const RelationIndex& index);

/// Follows indices from an op to its operands, by `space::compose_row`, and numbers the loops on
/// the way.
class IndexComposer {
public:
  int add_loop(RelationLoop loop);
  const std::vector<RelationLoop>& loops() const { return loops_; }

  /// The index of a node over the dims of its signature, whose result is asked for at `result`. The
  /// dims that this does not say become loops, in order.
  RelationIndex own_index(int node, const space::Signature& signature, const RelationIndex& result);
  /// Where a node at that index reads an operand. Along a window a loop is added.
  RelationIndex read_index(int node, const space::Operand& operand, const RelationIndex& index);

  /// Which of `count` segments elements lie in, where a nest goes segment by segment: a loop around
  /// those over their elements. `segments` says which segments, by an address.
  RelationCoordinate segment_of(const void* segments, const Extent& count);
  /// The same where it was asked for or set before.
  std::optional<RelationCoordinate> known_segment(const void* segments) const;
  /// The loop goes over these segments.
  void set_segments(const void* segments, int loop) { segments_[segments] = loop; }

private:
  RelationCoordinate unknown_of(std::vector<int> loops, bool is_by_data);

  std::vector<RelationLoop> loops_;
  std::map<const void*, int> segments_; ///< the loop over them
  int unknowns_ = 0;
};

} // namespace kolam::analysis
