/// Reductions inside a nest whose elements are worth computing together, or keeping by rows.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/relation.h"

namespace kolam::nest {

/// The reductions of a nest that go by chunks and are asked for at the root's own index, producers
/// first: those of neighbouring elements may run together.
std::vector<mlir::Operation*> column_reductions(const Nest& nest, const NestRelation& relation);

/// Ops worth keeping for a row at a time, and the reductions over the row that walk over their
/// elements: the root asks for these again, and computing them twice costs more than memory close
/// by.
struct KeptRows {
  std::vector<mlir::Operation*> reductions, ops;
};
/// Rows of so many elements, and what is read beside them, stay in the first cache between two
/// readings.
inline constexpr int64_t kMostRow = 4096;
KeptRows kept_rows(const Nest& nest, const NestRelation& relation);

/// So many columns, whose reductions run together row by row, are worth a part of the range.
inline constexpr int64_t kBlockColumns = 2048;
/// So are so many rows whose elements some operand holds across.
inline constexpr int64_t kBlockRows = 256;

} // namespace kolam::nest
