/// Ops that write a part of an operand: in its memory, where nobody needs it any more as it was.
#pragma once

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace kolam::nest {

/// The operands of which an op's first results are changed copies: the destinations of scatter, the
/// operand of dynamic_update_slice, what a loop by elements carries (ir/element_loop.h).
mlir::ValueRange changed_by(mlir::Operation* op);

/// What such an op writes over its first operand: the update.
mlir::Value written_by(mlir::Operation* op);

/// Moves changes behind the ops that read what they change, as far as their own users allow:
///
///     y = update(x, ...); z = f(x)        becomes        z = f(x); y = update(x, ...)
void move_changes_back(mlir::Block& block);

/// Whether an op reads a few of the elements of its first operand, at places that it says or data.
bool shows_part(mlir::Operation* op, mlir::Value of);
/// The elements of a part as their reader has them, without dims of one element.
mlir::Value part_as_read(mlir::Value part);

/// Values, each with the reason why it must lie in memory.
using Required = llvm::DenseMap<mlir::Value, std::string>;

/// Adds what the changes of a block need in memory before them: what they write, where it is
/// computed from something that they or changes before them change; and what they change, where
/// that is such a change itself. So do small parts of what they change that are read behind them.
void require_for_changes(mlir::Block& block, Required& required);

} // namespace kolam::nest
