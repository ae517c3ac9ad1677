/// Loops that are right for so many iterations only.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace kolam::ir {

/// The attribute of a scan whose body was made for its length and would go wrong behind so many
/// iterations: who runs it for longer asks.
inline constexpr llvm::StringLiteral kLongest = "kolam.longest";

} // namespace kolam::ir
