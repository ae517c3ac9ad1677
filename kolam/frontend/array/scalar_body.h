/// Bodies that are functions of scalars. Internal: includes MLIR.
#pragma once

#include "mlir/IR/Block.h"

namespace kolam {

/// Throws `[pattern-body]` unless the body's ops give scalars, each alone, and it gives one or
/// more. Values of one element pass: gathering makes them.
void require_scalar_body(mlir::Block& body);

} // namespace kolam
