/// The interpreter: what every op means. Runs a program straight from the ops' definitions.
#pragma once

#include "kolam/interp/evaluation.h"
#include "kolam/ir/bind_sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::interp {

/// The values of a function's symbols; throws `[argument-mismatch]` where an argument does not fit.
std::map<std::string, int64_t> bind_arguments(std::span<const ir::Parameter> parameters,
                                              std::span<const Array> arguments);

/// Runs `function` on `arguments` (dtypes and shapes as declared; symbolic extents take their
/// values from the arguments) and gives its results. Throws `[argument-mismatch]` where an argument
/// does not fit, and the Error of the first check that fails.
std::vector<Array> interpret(mlir::func::FuncOp function, std::span<const Array> arguments,
                             const Options& options = {});

} // namespace kolam::interp
