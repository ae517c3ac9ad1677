/// Contractions by lanes whose factors lie in rows along the result.
#pragma once

#include "kolam/ir/ops.h"

#include "mlir/IR/Builders.h"

namespace kolam::rewrite {

/// What equals the result of a contraction of floats by lanes that sums over rows of a factor, as
/// `transpose(x) @ y` does: its terms cut into chunks, steps and lanes, a sum over the steps for
/// each lane, whose vectors lie along the rows, then the sums of the lanes and of the chunks in the
/// order of the op. Of at most two terms a lane these are added as arrays, without memory. Where
/// neither pays, the same contraction with the rows of that factor as those of the result. Null
/// where no factor has such rows.
mlir::Value lanes_of_rows(mlir::Operation* op, mlir::OpBuilder& builder);

/// Whether a factor, as it lies in memory, has the letter as its last, of 16 elements or more.
bool ends_a_row(ir::ContractOp op, char letter);

} // namespace kolam::rewrite
