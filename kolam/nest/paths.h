/// The ways by which a nest's root reaches its inputs.
#pragma once

#include "kolam/nest/nest.h"

#include <set>

namespace kolam::nest {

/// For each dim of a value the root dim whose place it copies, or one of these.
inline constexpr int kElsewhere = -1, kConstant = -2;
using Copies = std::vector<int>;

/// Follows root dims through the signatures of a nest's ops to its inputs, along every path.
class Paths {
public:
  explicit Paths(const Nest& nest);

  /// What the reads of inputs copy, a row for each different read.
  const std::vector<Copies>& reads() const { return reads_; }
  /// Whether an op is asked for at the root's own index only.
  bool is_at_own_index(mlir::Operation* op) const;
  /// Whether an op is asked for at the root's own places in its first `rank` dims, and has no more.
  bool is_at_own_places(mlir::Operation* op, int64_t rank) const;

private:
  Copies identity() const;
  void follow(mlir::Operation* op, const Copies& result);

  const Nest& nest_;
  std::set<std::pair<mlir::Operation*, Copies>> seen_;
  std::vector<Copies> reads_;
};

/// The reductions of a nest that go by chunks and are asked for at the root's own index, producers
/// first: those of neighbouring elements may run together.
std::vector<mlir::Operation*> column_reductions(const Nest& nest, const Paths& paths);

/// Ops worth keeping for a row at a time, and the reductions over the row that walk over their
/// elements: the root asks for these again, and computing them twice costs more than memory close
/// by.
struct KeptRows {
  std::vector<mlir::Operation*> reductions, ops;
};
KeptRows kept_rows(const Nest& nest, const Paths& paths);

/// So many columns, whose reductions run together row by row, are worth a part of the range.
inline constexpr int64_t kBlockColumns = 2048;
/// So are so many rows whose elements some operand holds across.
inline constexpr int64_t kBlockRows = 256;

} // namespace kolam::nest
