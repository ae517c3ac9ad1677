/// How often the elements of an op would be computed, were it computed inside its consumers.
#pragma once

#include "kolam/analysis/access.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace kolam::nest {

/// Follows indices from the roots of nests to their producers, by signatures.
///
/// An element is computed in front of the innermost loop that its index depends on, and once for
/// all consumers that ask for the same index (lower/emission.h). So a producer is computed as often
/// as that loop turns, for each different index by which a nest reaches it. Ops are visited
/// consumers first; symbolic extents count as 1000.
class Evaluations {
public:
  explicit Evaluations(analysis::Signatures& signatures) : signatures_(signatures) {}

  /// `op` computes its operands inside itself: as a nest of its own, or wherever it is computed.
  void add_root(mlir::Operation* op);
  void add_inside(mlir::Operation* op);

  /// How often each element of the op is computed, on average, and at how many different indices.
  double per_cell(mlir::Operation* op) const;
  size_t places(mlir::Operation* op) const;
  /// Whether tiles would read the op's elements, rows at places given by data, where they lie.
  bool is_read_by_rows(mlir::Operation* op) const;
  /// Whether tiles would compute the op's elements to pack them as rows of a product of matrices,
  /// as often as `per_cell` says.
  bool is_packed_by_tiles(mlir::Operation* op) const;
  /// Whether a sum by lanes reads the op's elements, also through views.
  bool is_summed_by_lanes(mlir::Operation* op) const;
  /// Whether the op is computed inside a loop over elements that a reader reduces.
  bool is_inside_reduction(mlir::Operation* op) const;
  /// The roots inside which the op is computed, where each asks for its elements at the root's own
  /// index alone; nullopt otherwise.
  std::optional<std::vector<mlir::Operation*>> roots_at_own_index(mlir::Operation* op) const;

private:
  /// One coordinate of an index: an expression over loops.
  struct Place {
    std::string text;
    std::vector<int> loops;
  };
  struct Use {
    mlir::Operation* root;
    std::vector<Place> places;   ///< by result dim
    double share = 1;            ///< of the turns that ask for an element at all
    bool is_row_factor = false;  ///< of a product of matrices, also through views
    bool is_lane_factor = false; ///< of a sum of products by lanes, likewise
  };

  int add_loop(const space::IndexDim& dim, double turns_around);
  double turns(const std::vector<Place>& places) const;
  /// The places of all index dims of an op that is computed at `use`.
  std::vector<Place> index_of(mlir::Operation* op, const Use& use);
  /// `op` asks for elements of its operands, as its own are asked for by `own`.
  void ask_operands(mlir::Operation* op, const Use& own, const std::vector<Place>& index);

  analysis::Signatures& signatures_;
  std::vector<double> turns_; ///< by loop: how often its body runs in all
  std::vector<bool> reduces_; ///< by loop: whether it goes over elements that are reduced
  llvm::DenseMap<mlir::Operation*, std::vector<std::string>> root_index_; ///< the places' texts
  llvm::DenseMap<mlir::Operation*, std::vector<Use>> uses_;
};

} // namespace kolam::nest
