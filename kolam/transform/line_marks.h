/// What the line of an op says of it beside where it is: that a derivative made it, or that a
/// checkify catches what goes wrong in it. What is made of the op at its line keeps that.
#pragma once

#include "kolam/support/checks.h"

#include "mlir/IR/Operation.h"

#include <string>

namespace kolam::transform {

/// The line of an op, for what its derivative is computed by.
mlir::Location in_derivative_of(mlir::Operation* op);
/// Whether an op is at such a line.
bool is_in_derivative(mlir::Operation* op);
/// The user's op: "log", also where an op is part of its derivative.
std::string differentiated(mlir::Operation* op);
/// What an op is to its user: "log"; "in the derivative of log" for what is made at such a line.
std::string place_of(mlir::Operation* op);

/// Says of an op, and of those in it, that a checkify catches these kinds of errors.
void mark_caught(mlir::Operation* op, const Checks& kinds);
/// Those of the checks whose errors nothing catches there.
Checks uncaught(mlir::Location line, Checks checks);

} // namespace kolam::transform
