/// Between which numbers the places of a nest lie, as far as its loops say.
#pragma once

#include "kolam/support/extent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace kolam::lower {

/// Numbers from `least` to `most`: of a value and of all lanes that step from it on by `step`, the
/// last of them that count included.
struct NumberRange {
  Extent least, most;
  int64_t step = 0;
};

class Ranges {
public:
  void assume(mlir::Value number, NumberRange range) { known_[number] = std::move(range); }
  /// A number and what follows from it by sums, differences and constant factors, also in fewer
  /// bits, where none of these wraps.
  std::optional<NumberRange> of(mlir::Value number) const;
  /// The numbers of all of `lanes` lanes that step from `base` on by `step`.
  std::optional<NumberRange> of(mlir::Value base, int64_t step, int64_t lanes) const;

private:
  std::optional<NumberRange> follow(mlir::Value number, int depth) const;
  std::optional<NumberRange> follow_unheld(mlir::Value number, int depth) const;

  llvm::DenseMap<mlir::Value, NumberRange> known_;
};

/// Whether all numbers of one range are less than all of the other; false where none is; nullopt
/// where that depends on the number, or on sizes of the run.
std::optional<bool> is_less(const NumberRange& x, const NumberRange& y);

} // namespace kolam::lower
