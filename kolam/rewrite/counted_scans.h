/// Scans of as many steps as a loop takes, which run with that loop.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace kolam::rewrite {

/// Puts a scan into the loop that counts its steps, where both carry the same states: what each
/// step stacks is appended. So derivatives of `while` run it once.
///
///     n = 0; s = a; while c(s): s = f(s); n += 1        n = 0; s = a; y = []; while c(s):
///     (s, y) = scan of n steps from a: (f(s), g(s))  =    (s, y) = (f(s), concat(y, [g(s)]))
///
/// Only where computing `f` costs more than appending does. Gives a sentence on each such loop, for
/// `explain`: whether it runs once, and why.
std::vector<std::string> append_counted_scans(mlir::ModuleOp module);

} // namespace kolam::rewrite
