/// Clean-up that changes no bit: applies the rules, removes dead and repeated ops.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kolam::rewrite {

///     y = f(x); z = f(x); unused = g(x)   =   y = f(x); z = y
void simplify(mlir::ModuleOp module);

} // namespace kolam::rewrite
