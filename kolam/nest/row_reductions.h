/// Reductions inside a nest whose elements are worth computing together, or keeping by rows.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/relation.h"
#include "kolam/support/machine.h"

namespace kolam::nest {

/// The reductions of a nest that go by chunks and are asked for at the root's own index, producers
/// first: those of neighbouring elements may run together.
std::vector<mlir::Operation*> column_reductions(const Nest& nest, const NestRelation& relation);

/// Whether lanes along loop `last` lie apart at an index, along one dim, and a loop inside elements
/// goes from neighbour to neighbour: as many steps of it as there are lanes are a square.
bool lies_in_squares(const analysis::RelationIndex& at, int last);
/// Whether the op sums rows by chunks, of which there are enough for lanes side by side: in a nest
/// of its own that goes by squares, inside another row by row, one element after the other.
bool sums_rows_by_chunks(mlir::Operation* op, const Machine& machine);

/// Ops worth keeping for a row at a time, and the reductions over the row that walk over their
/// elements: the root asks for these again, and computing them twice costs more than memory close
/// by.
struct KeptRows {
  std::vector<mlir::Operation*> reductions, ops;
};
KeptRows kept_rows(const Nest& nest, const NestRelation& relation, const Machine& machine);

/// The elements that a reduction combines, by dim; nullopt for an op that is none.
std::optional<Shape> reduced_space(mlir::Operation* op);
/// Whether both combine elements of one space along the same dims, in the same order.
bool reduce_alike(mlir::Operation* x, mlir::Operation* y);

/// Which of these reductions of a nest, producers first, run in the same loops: those that reduce
/// alike, read some memory in common, and of which none needs another. All of a group have what
/// they need of the others before the first of them.
using ReductionGroup = std::vector<mlir::Operation*>;
std::vector<ReductionGroup> group_reductions(llvm::ArrayRef<mlir::Operation*> reductions,
                                             llvm::ArrayRef<mlir::Operation*> fused);

/// The elements of the longest row that is kept: it stays in half of the first cache between two
/// readings, what is read beside it in the other.
int64_t most_row(const Machine& machine);

} // namespace kolam::nest
