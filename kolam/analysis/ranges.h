/// Between which numbers the integers of a program surely lie.
#pragma once

#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>

namespace kolam::analysis {

struct Range {
  int64_t least, most;
};

/// Follows integers and booleans, of tensors all elements, through arithmetic to constants, to
/// counters of loops whose bounds are known, also where loops capture them, to what loops carry,
/// and to values whose range was noted. What a loop carries lies between the least and the most of
/// all turns: `where(less, middle + 1, low)` of a binary search between 0 and the length.
class Ranges {
public:
  /// Of the counter of a loop.
  void note(mlir::Value value, Range range) { known_[value] = range; }
  /// nullopt where nothing is known, or where the arithmetic may wrap.
  std::optional<Range> of(mlir::Value value) const;

private:
  llvm::DenseMap<mlir::Value, Range> known_;
};

} // namespace kolam::analysis
