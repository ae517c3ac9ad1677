/// Nests of scans whose innermost body computes tensors: which of its values are carried along
/// which scan.
#pragma once

#include "kolam/ir/ops.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace kolam::transform::lists {

/// A value that the scan of level `level` carries: what its step before gave as result `result` of
/// the innermost body, at the same places of the levels inside.
struct CarriedArgument {
  size_t level;
  unsigned state;  ///< of that scan
  unsigned result; ///< of the innermost body
};

/// A state of a nest: the level of its scan, and its number there.
using StateKey = std::pair<size_t, unsigned>;

/// A scan and the scans and maps inside it, each the only one of its body that states go through.
struct ScanNest {
  std::vector<mlir::Operation*> levels; ///< outermost first; the last one's body is the cell
  /// Block arguments, of all levels, that are states or elements of states.
  llvm::DenseMap<mlir::Value, CarriedArgument> carried;

  mlir::Block& cell() const { return levels.back()->getRegion(0).front(); }
  ir::ListScanOp scan(size_t level) const { return llvm::dyn_cast<ir::ListScanOp>(levels[level]); }
  /// Whether a product of the cell has weights of its own for each element of a level's lists.
  bool has_weights_of(size_t level) const;
};

/// The nest of a scan; none where a state goes other ways than from element to element.
std::optional<ScanNest> find_nest(ir::ListScanOp scan);

} // namespace kolam::transform::lists
