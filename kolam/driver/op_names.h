/// The names of ops in what people read.
#pragma once

#include "kolam/support/error.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace kolam::driver {

/// Tells ops of a module apart: `%3 broadcast (model.py:12)`; inside a body of %5, `%5/%0
/// broadcast`.
class OpNames {
public:
  explicit OpNames(mlir::ModuleOp module) : state_(module) {}

  std::string of(mlir::Operation* op);

private:
  std::string path(mlir::Operation* op);
  std::string name(mlir::Operation* op);

  mlir::AsmState state_;
};

/// The user's line of an op, `model.py:12`; empty where it knows none.
std::string line_of(mlir::Operation* op);

} // namespace kolam::driver
