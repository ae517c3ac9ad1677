/// Ops that derivatives compute again, and which ops they are copies of. See Note [Copies].
#pragma once

#include "kolam/transform/derive.h"

namespace kolam::transform::derive {

/// Names an op, and those in it, so that copies know them; what has a name keeps it.
void name_originals(mlir::Operation* op, const NewSymbol& new_symbol);
/// Says of an op, and of those in it, that they are copies of those of their names.
void make_copies(mlir::Operation* op);
/// Says of an op that gives some of the results of `op` alone which these are, so that it stays a
/// copy of the same one.
void keep_results(mlir::Operation* op, mlir::Operation* made, llvm::ArrayRef<unsigned> kept);
/// What is made in place of `op` has its names, where it gives all of its results.
void carry_names(mlir::Operation* op, mlir::ValueRange stands);

/// Gives values that ops of `body` compute again the tangents of the values that they are copies
/// of: composite "copy" of both.
void link_copies(language::Builder& b, mlir::Region& body);
/// No copy is known any more.
void drop_copies(mlir::Operation* program);

} // namespace kolam::transform::derive
