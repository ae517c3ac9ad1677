/// How often the elements of an op would be computed, were it computed inside its consumers.
#pragma once

#include "kolam/analysis/access.h"
#include "kolam/analysis/composed_index.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>
#include <optional>
#include <vector>

namespace kolam::nest {

/// Size of code: elements that are so far apart are taken out of whole vectors, by a shuffle for
/// each but the first; those further apart one by one. With shuffles of two registers twice as far.
inline constexpr int64_t kSmallStep = 8;

/// Asks by which indices the roots of nests reach their producers (analysis::IndexComposer), op by
/// op, as it is decided which are computed inside.
///
/// An element is computed in front of the innermost loop that its index depends on, and once for
/// all consumers that ask for the same index (lower/emission.h). So a producer is computed as often
/// as that loop turns, for each different index by which a nest reaches it. Ops are visited
/// consumers first; symbolic extents count as 1000.
class Evaluations {
public:
  using Ids = llvm::DenseSet<mlir::Operation*>;
  /// What ids of segments (kolam.segment_ids) are not known where they are read.
  explicit Evaluations(analysis::Signatures& signatures, Ids unknown = {})
      : signatures_(signatures), unknown_(std::move(unknown)) {}

  /// `op` computes its operands inside itself: as a nest of its own, or wherever it is computed.
  /// Neighbours along the last dim of a root that stands for part of a nest are `step` apart.
  void add_root(mlir::Operation* op, int64_t step = 1);
  void add_inside(mlir::Operation* op);
  /// The code of the largest nest that would compute the op, with it: in ops that stand there once
  /// more than they would elsewhere.
  double largest_code(mlir::Operation* op) const;

  /// How often each element of the op is computed, on average.
  double per_cell(mlir::Operation* op) const;
  /// What asks for elements at one index.
  struct Request {
    mlir::Operation* root;
    double times;    ///< elements asked for in all
    int64_t step;    ///< from one to the next along the last dim
    bool is_spread;  ///< neighbours lie far apart, or data decides where
    bool is_uncut;   ///< over a loop that has no parts at borders, as those of a map (nest/parts.h)
    bool is_reduced; ///< over a loop of a reduction: with parts at the ends of its rows at most
  };
  std::vector<Request> requests(mlir::Value value) const;
  /// Whether tiles would read the op's elements, rows at places given by data, where they lie.
  bool is_read_by_rows(mlir::Operation* op) const;
  /// Whether tiles would compute the op's elements to pack them as rows of a product of matrices,
  /// as often as `per_cell` says.
  bool is_packed_by_tiles(mlir::Operation* op) const;
  /// Whether a sum by lanes reads the op's elements, also through views.
  bool is_summed_by_lanes(mlir::Operation* op) const;
  /// Whether lanes would take the op, a transpose, from places far apart: those along a root's last
  /// dim, where in its operand only loops inside elements go from neighbour to neighbour, and those
  /// of a reduction along its own last dim.
  bool is_gathered(mlir::Operation* op) const;
  /// Whether one root asks for all elements, row by row: at its own index, and before that at those
  /// of its row, of so many elements at most.
  bool is_asked_by_rows(mlir::Operation* op, int64_t most) const;
  /// Whether one root asks for the op at its own rows of few elements, and behind these for few
  /// elements, and either is a sum of few terms: side by side, each element is computed once.
  bool is_asked_by_short_rows(mlir::Operation* op) const;
  /// Whether a root of rows of few elements asks for the op, but not at its own index.
  bool is_behind_short_rows(mlir::Operation* op) const;
  /// Whether the op sums few terms for roots that compute rows of few elements side by side: its
  /// sums for neighbouring rows are lanes.
  bool is_summed_beside_rows(mlir::Operation* op) const;
  /// Whether all ask for the op, which combines the elements of segments, once for each segment.
  bool is_asked_by_segments(mlir::Operation* op) const;
  /// Whether a root asks for the op at several indices that follow its own last dim.
  bool is_asked_for_along_rows(mlir::Operation* op) const;
  /// Whether the op is computed inside a loop over elements that a reader reduces.
  bool is_inside_reduction(mlir::Operation* op) const;
  /// The roots inside which the op is computed, where each asks for its elements at the root's own
  /// index alone; nullopt otherwise.
  std::optional<std::vector<mlir::Operation*>> roots_at_own_index(mlir::Operation* op) const;

private:
  /// A nest as far as it is known: its loops, and what they cost.
  struct Root {
    analysis::IndexComposer composer;
    std::vector<double> turns;  ///< by loop: how often its body runs in all
    std::vector<bool> reduces;  ///< by loop: whether elements are reduced over it or a loop around
    std::vector<bool> is_uncut; ///< by loop: whether borders that it comes to are not cut off
    analysis::RelationIndex index; ///< over the dims of the root's signature
    int64_t step = 1;              ///< between neighbours along the last of them
    double code = 0;
    int ops = 0; ///< that are inside
  };
  struct Use {
    mlir::Operation* root;
    analysis::RelationIndex at; ///< by result dim
    double share = 1;           ///< of the turns that ask for an element at all
    /// The turns of a choice around, or of elements that tiles pack: nothing is computed in front
    /// of these.
    double chosen = 1;
    /// Of what a slice at a place of the run reads: the index without that place; else none.
    analysis::RelationIndex moved = {};
    bool is_row_factor = false;  ///< of a product of matrices, also through views
    bool is_factor = false;      ///< of such a product, likewise
    bool is_lane_factor = false; ///< of a sum of products by lanes, likewise
  };

  /// At how many indices each root asks for the op.
  std::vector<std::pair<mlir::Operation*, int>> uses_by_root(mlir::Operation* op) const;
  const Root& root_of(const Use& use) const { return *roots_.find(use.root)->second; }
  double turns(const Use& use) const;
  /// What is known of the loops that were added last, `around` turns around them.
  static void note_loops(Root& root, double around, int64_t most_with_ends_apart = 0);
  /// `op` asks for elements of its operands, as its own are asked for by `own`, at `index`.
  void ask_operands(mlir::Operation* op, const Use& own, const analysis::RelationIndex& index);

  analysis::Signatures& signatures_;
  Ids unknown_;
  llvm::DenseMap<mlir::Operation*, std::unique_ptr<Root>> roots_;
  llvm::DenseMap<mlir::Operation*, std::vector<Use>> uses_;
  llvm::DenseMap<mlir::Value, std::vector<Use>> argument_uses_;
};

} // namespace kolam::nest
