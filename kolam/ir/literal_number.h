/// Integers that are written in a program.
#pragma once

#include "kolam/ir/ops.h"

#include <optional>

namespace kolam::ir {

/// The integer that fills a constant; one above the greatest of 64 bits with a sign counts as that.
/// nullopt for several, and for floats.
std::optional<int64_t> literal_number(ConstantOp op);

} // namespace kolam::ir
