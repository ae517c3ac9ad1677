/// Reductions over the instances of a vmap that has a name, while its function is of one instance.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/elementwise.h"

namespace kolam::language {

/// What fn (add, minimum, maximum) makes of x of all instances of the vmap that binds `axis`: the
/// same for each. A composite, whose body says nothing: `transform/batch.h` puts a reduction in its
/// place, and it is made in the function of such a vmap alone.
Value collective(Builder& b, Value x, Fn fn, llvm::StringRef axis);

/// The function and the axis of such an op.
struct Collective {
  Fn fn;
  std::string axis;
};
/// None for another op.
std::optional<Collective> collective_of(mlir::Operation* op);

/// Whether an op is, or holds, one over that axis; over any without a name.
bool holds_collective(mlir::Operation* op, llvm::StringRef axis = "");

} // namespace kolam::language
