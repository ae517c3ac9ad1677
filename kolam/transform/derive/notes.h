/// What `explain` says of derivatives.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace kolam::transform {

/// Notes on an op of a derivative what its user is to know; once for each line of the program.
void note_derivative(mlir::Operation* op, const std::string& what);

/// The notes of a program's derivatives, each with the user's line.
std::vector<std::string> derivative_notes(mlir::ModuleOp program);

} // namespace kolam::transform
