/// Derivatives: a program's linear part at given values, and its transpose.
#pragma once

#include "kolam/language/builder.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kolam::transform {

/// Names of symbols that no other op of the program binds.
using NewSymbol = std::function<std::string()>;

/// The program of tangents:
///
///     (residuals..., tangents of some arguments...) -> (tangents of some results...)
///
/// It is linear in the tangents; its coefficients are the residuals, primal values.
struct LinearProgram {
  std::unique_ptr<mlir::Region> region; ///< uses nothing from outside
  size_t residuals = 0;
  std::vector<size_t> arguments; ///< the body's argument that each tangent belongs to
  std::vector<size_t> results;   ///< the body's result that each yielded tangent belongs to
};

/// What a body gives, and its linear part there.
struct Linearised {
  language::Values results;
  language::Values residuals;
  LinearProgram linear;
};

/// The ops of `body` at the builder's place, on `arguments`, and their linear part in those that
/// are `active`: floats or lists of floats.
///
///     y[i] = x[i] x[i]  at x:  y'[i] = x'[i] x[i] + x'[i] x[i]
///
/// Throws `[not-differentiable]` at the user's line of an op that has no derivative and depends on
/// an active argument.
Linearised linearise(language::Builder& b, mlir::Region& body, mlir::ValueRange arguments,
                     llvm::ArrayRef<bool> active, const NewSymbol& new_symbol);

/// The same with residuals that arrays can be: the leaves and offsets of lists, which the linear
/// program makes lists of again, and the extents that it reads and no residual shows.
Linearised with_array_residuals(language::Builder& b, Linearised linearised,
                                const NewSymbol& new_symbol);

/// What a body gives, and the tangents of its results; null where these are zero.
struct Pushed {
  language::Values results, tangents;
};
/// The same at once, without residuals: `tangents[i]` of argument i, null where it is zero.
Pushed push_forward(language::Builder& b, mlir::Region& body, mlir::ValueRange arguments,
                    llvm::ArrayRef<mlir::Value> tangents, const NewSymbol& new_symbol);

/// The tangents that a linear program gives, in the order of its results.
language::Values apply_linear(language::Builder& b, LinearProgram& program,
                              mlir::ValueRange residuals, mlir::ValueRange tangents,
                              const NewSymbol& new_symbol);

/// The cotangents of `program`'s arguments; null where they are zero. `cotangents[i]` of yielded
/// tangent i may be null: zero.
///
///     y' = A x'   becomes   x~ = A^T y~
///
/// Throws `[not-linear]` at the user's line of an op that is not linear in what depends on the
/// arguments.
language::Values transpose_linear(language::Builder& b, LinearProgram& program,
                                  mlir::ValueRange residuals,
                                  llvm::ArrayRef<mlir::Value> cotangents,
                                  const NewSymbol& new_symbol);

/// The linear program of a function that is said to be linear in its `active` arguments, for which
/// `arguments` stand: what it gives does not depend on them. Throws `[not-linear]` where it does,
/// and where results from number `first` on are known to be other than 0 at 0.
Linearised as_linear(language::Builder& b, mlir::Region& body, mlir::ValueRange arguments,
                     llvm::ArrayRef<bool> active, const NewSymbol& new_symbol, size_t first = 0);

/// The name of composites that hold a derivative within a limit of memory; their rule is the one
/// without.
inline constexpr llvm::StringLiteral kWithinLimit = "within_limit";

mlir::Value zeros(language::Builder& b, mlir::Type type);
/// Zeros of a tensor's dtype and shape; of lists, for each element.
mlir::Value zeros_like(language::Builder& b, mlir::Value like);

} // namespace kolam::transform
