/// Between which numbers the integers of a program surely lie.
#pragma once

#include "kolam/ir/ops.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>

namespace kolam::analysis {

struct Range {
  int64_t least, most;
};

/// Follows integers and booleans, scalars or tensors of one element, through arithmetic to
/// constants, to counters of loops whose bounds are known, also where loops capture them, and to
/// values whose range was noted.
class Ranges {
public:
  /// Of the counter of a loop.
  void note(mlir::Value value, Range range) { known_[value] = range; }
  /// nullopt where nothing is known, or where the arithmetic may wrap.
  std::optional<Range> of(mlir::Value value) const;

private:
  std::optional<Range> of_argument(mlir::BlockArgument value) const;
  std::optional<Range> of_op(ir::ConstantOp op) const;
  std::optional<Range> of_op(ir::ExtentOp op) const;
  std::optional<Range> of_op(ir::CastOp op) const;
  std::optional<Range> of_op(ir::ElementwiseOp op) const;

  llvm::DenseMap<mlir::Value, Range> known_;
};

} // namespace kolam::analysis
