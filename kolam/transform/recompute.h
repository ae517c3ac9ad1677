/// Which parts of a program its derivatives compute again, so that less is kept.
#pragma once

#include "kolam/transform/derive.h"

namespace kolam::transform {

struct Recomputation {
  /// The program's own ops in so many groups, each a checkpoint (kolam.composite); 0: none.
  size_t groups = 0;
  /// What groups keep beside what they read: a policy (derive/policy.h).
  std::string policy = "nothing_saveable";
  /// Loops keep every `segments[0]`-th state; further numbers are the segments of a segment. Scans
  /// over lists of tensors become scans over their leaves (array_scans.h).
  std::vector<int64_t> segments = {};
  friend bool operator==(const Recomputation&, const Recomputation&) = default;
};

/// Marks loops and groups ops; the program means what it did, and its derivatives have the same
/// bits.
void recompute(language::Builder& b, mlir::Region& body, const Recomputation& how,
               const NewSymbol& new_symbol);

/// Ways to keep less of a program, those that cost less first, without groups of its own ops but
/// for those that keep what is dear: `levels` is how many of segments in segments there are at
/// most.
/// `given` is what the body is called with, `sizes` are those of symbols.
std::vector<Recomputation> recomputations(mlir::Region& body, mlir::ValueRange given,
                                          const std::map<std::string, int64_t>& sizes = {},
                                          int levels = 3);
/// Groups of the program's own ops, alone and beside `segments`.
std::vector<Recomputation> groups_beside(mlir::Region& body, const std::vector<int64_t>& segments);

} // namespace kolam::transform
