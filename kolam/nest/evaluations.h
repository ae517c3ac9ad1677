/// How often the elements of an op would be computed, were it computed inside its consumers.
#pragma once

#include "kolam/analysis/access.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace kolam::nest {

/// Size of code: elements that are so far apart are taken out of whole vectors; those further apart
/// one by one.
inline constexpr int64_t kSmallStep = 4;

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
    double times;   ///< elements asked for in all
    int64_t step;   ///< from one to the next along the last dim
    bool is_spread; ///< neighbours lie far apart, or data decides where
  };
  std::vector<Request> requests(mlir::Value value) const;
  /// Whether tiles would read the op's elements, rows at places given by data, where they lie.
  bool is_read_by_rows(mlir::Operation* op) const;
  /// Whether tiles would compute the op's elements to pack them as rows of a product of matrices,
  /// as often as `per_cell` says.
  bool is_packed_by_tiles(mlir::Operation* op) const;
  /// Whether a sum by lanes reads the op's elements, also through views.
  bool is_summed_by_lanes(mlir::Operation* op) const;
  /// Whether one root asks for all elements, row by row: at its own index, and before that at those
  /// of its row, of so many elements at most.
  bool is_asked_by_rows(mlir::Operation* op, int64_t most) const;
  /// Whether the op is computed inside a loop over elements that a reader reduces.
  bool is_inside_reduction(mlir::Operation* op) const;
  /// The roots inside which the op is computed, where each asks for its elements at the root's own
  /// index alone; nullopt otherwise.
  std::optional<std::vector<mlir::Operation*>> roots_at_own_index(mlir::Operation* op) const;

private:
  /// One coordinate of an index: an expression over loops, moved by a number.
  struct Place {
    std::string base;
    std::vector<int> loops;
    bool is_by_data = false;
    Extent shift = 0;
    int64_t step = 1; ///< between the places of neighbours

    std::string text() const;
    friend bool operator==(const Place& x, const Place& y) {
      return x.base == y.base && x.shift == y.shift;
    }
  };
  struct Use {
    mlir::Operation* root;
    std::vector<Place> places; ///< by result dim
    double share = 1;          ///< of the turns that ask for an element at all
    /// The turns of a choice around: nothing is computed in front of that.
    double chosen = 1;
    bool is_row_factor = false;  ///< of a product of matrices, also through views
    bool is_lane_factor = false; ///< of a sum of products by lanes, likewise
  };

  /// At how many indices each root asks for the op.
  std::vector<std::pair<mlir::Operation*, int>> uses_by_root(mlir::Operation* op) const;
  int add_loop(const space::IndexDim& dim, double turns_around);
  double turns(const std::vector<Place>& places) const;
  double turns(const Use& use) const;
  /// The places of all index dims of an op that is computed at `use`.
  std::vector<Place> index_of(mlir::Operation* op, const Use& use);
  /// `op` asks for elements of its operands, as its own are asked for by `own`.
  void ask_operands(mlir::Operation* op, const Use& own, const std::vector<Place>& index);

  analysis::Signatures& signatures_;
  std::vector<double> turns_; ///< by loop: how often its body runs in all
  std::vector<bool> reduces_; ///< by loop: whether it goes over elements that are reduced
  llvm::DenseMap<mlir::Operation*, double> code_; ///< by root
  llvm::DenseMap<mlir::Operation*, std::vector<Place>> root_index_;
  llvm::DenseMap<mlir::Operation*, std::vector<Use>> uses_;
  llvm::DenseMap<mlir::Value, std::vector<Use>> argument_uses_;
};

} // namespace kolam::nest
