/// Pieces of straight code that do not wait for one another.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kolam::lower {

class Functions;

/// Emits `count` pieces and deals their ops out one by one, so that while an op of one piece waits
/// for its operands there are ops of the others to run; where all of them call one of `functions`,
/// one call has the elements of all. See Note [Waiting ops].
///
/// A piece may read memory that an earlier one writes only where it finds the same elements before
/// and after. Short pieces, and those with loops or branches, stay one after the other.
void emit_interleaved(size_t count, llvm::function_ref<void(size_t piece)> emit,
                      mlir::ImplicitLocOpBuilder& b, Functions* functions = nullptr);

} // namespace kolam::lower
