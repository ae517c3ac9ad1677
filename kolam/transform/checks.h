/// Checked programs: the same program, stopping with an error where something went wrong.
#pragma once

#include "kolam/support/checks.h"

#include "mlir/IR/BuiltinOps.h"

namespace kolam::transform {

/// Puts `kolam.check` ops behind the ops of `module`, in loops, branches and functions on lists
/// too:
///
///     z = f(x, y)   becomes   z = f(x, y); check(not isnan(z) or isnan(x) or isnan(y))
///
/// and so on for starts of gather, scatter and dynamic slices, for the promise of unique indices,
/// and for integer arithmetic (overflow_checks.h). A gather that fills or wraps, and a scatter that
/// drops single elements, ask for places outside and are not checked. Bodies over scalars
/// (zip_map_reduce, monoids, combiners) are checked by their results. What a check computes is not
/// checked itself.
void insert_checks(mlir::ModuleOp module, const Checks& checks);
/// The same for some ops of a program that is still being made, and what lies in them.
void insert_checks(llvm::ArrayRef<mlir::Operation*> ops, const Checks& checks);

} // namespace kolam::transform
