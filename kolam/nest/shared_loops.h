/// Several stored values in one loop nest.
#pragma once

#include "kolam/nest/fusion.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace kolam::nest {

/// Values that have become others.
using Replaced = llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>;

/// Lets values of one shape that are stored element by element, and reductions over one range,
/// share a nest, where they read the same memory or one another:
///
///     a = f(x); b = g(x, a)        becomes        p = f(x); q = g(x, p); a, b = together(p, q)
///
/// `p` and `q` are no longer materialized; `a` and `b` are. What stood between them and reads `a`
/// moves behind. Values that depend on nothing but what is `fixed` for all runs stay by themselves.
Replaced share_loops(mlir::Block& block, Materialized& materialized,
                     llvm::function_ref<bool(mlir::Value)> fixed, analysis::Signatures& signatures,
                     const Machine& machine);

} // namespace kolam::nest
