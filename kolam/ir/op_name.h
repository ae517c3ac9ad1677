/// What an op is called in messages and notes.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace kolam::ir {

/// An op's name as users know it: of an elementwise op that of its function.
std::string user_name(mlir::Operation* op);

} // namespace kolam::ir
