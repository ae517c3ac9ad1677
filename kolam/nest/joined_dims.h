/// Neighbouring dims that a nest may walk as one.
#pragma once

#include "kolam/nest/nest.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace kolam::nest {

/// Two neighbouring dims of a value join where its cells at (i, j) may be asked for at
/// (0, i n + j), n the extent of the second: every op on the way to memory hands both coordinates
/// on, side by side, with the same extents, and memory is row-major.
class JoinedDims {
public:
  explicit JoinedDims(const Nest& nest);

  /// Whether `dim` and `dim` + 1 of a value join.
  bool joins(mlir::Value value, int64_t dim);
  /// Whether index dims `dim` and `dim` + 1 of an op's signature do.
  bool joins_index(mlir::Operation* op, int64_t dim);
  /// The first of the trailing dims of a value that all join.
  int64_t first_joined(mlir::Value value);

private:
  bool find(mlir::Value value, int64_t dim);
  /// Whether the layout that a value was given, if any, lets them.
  bool lies_joined(mlir::Value value, int64_t dim) const;

  const Nest& nest_;
  llvm::DenseSet<mlir::Value> inputs_;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, bool> known_;
};

} // namespace kolam::nest
