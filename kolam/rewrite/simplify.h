/// Clean-up that changes no bit: applies the rules, removes dead and repeated ops.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace kolam::rewrite {

///     y = f(x); z = f(x); unused = g(x)   =   y = f(x); z = y
///
/// Gives sentences for `explain` on what was decided. `has_fma`: see Rule.
std::vector<std::string> simplify(mlir::ModuleOp module, bool has_fma);

} // namespace kolam::rewrite
