/// Which ops get memory and which are computed inside their consumers.
#pragma once

#include "kolam/analysis/access.h"
#include "kolam/support/machine.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace kolam::nest {

/// For each op of a block that gets memory, why; ops that are absent are computed where they are
/// consumed.
using Materialized = llvm::DenseMap<mlir::Operation*, std::string>;

/// True for ops that the runtime runs as a step of its own, outside of nests: loops, branches and
/// host functions.
bool forms_step(mlir::Operation* op);

/// Whether the op is a loop that carries its states element by element, in a nest.
bool carries(mlir::Operation* op);

/// Whether the op's result has the elements of its operand in their order: where one is in memory,
/// so is the other.
bool keeps_order(mlir::Operation* op);

/// The value that one shows as it is: through reshapes that only call an extent by another name.
mlir::Value unnamed(mlir::Value value);

/// What a value shows element by element in its order, where nobody else reads that; null where
/// there is no such value. It is computed where the value lies.
///
///     y = reshape(x)   ->   x
mlir::Value shown_alone(mlir::Value value);

/// An op is computed inside its consumers where every element is read about once, or where
/// computing it again costs no more than loading it, unless something needs it in memory: the
/// block's end, a step of its own, an op that gives no single elements, or a nest that would grow
/// too large. What ops in `parted` put together gets memory where they do: it is computed there.
Materialized choose_materialized(mlir::Block& block, analysis::Signatures& signatures,
                                 const Machine& machine,
                                 const llvm::DenseSet<mlir::Operation*>& parted = {});

} // namespace kolam::nest
