/// What `explain` says of the order in which a function on lists runs.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace kolam::transform::lists {

/// `list_scan (model.py:12): waves i0 of ...`.
std::string order_note(mlir::Operation* op, const std::string& order);

} // namespace kolam::transform::lists
