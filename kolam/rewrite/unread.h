/// What scans and branches take and give that nobody reads.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kolam::rewrite {

/// Erases ops whose results nobody reads, also in bodies, where scans stack or branches give what
/// is not read, and where their bodies do not read what these take.
///
///     (s, y, z) = scan over x, u: (f(s, x), g(s), h(s))   where z is not read
///   = (s, y) = scan over x: (f(s, x), g(s))
void drop_unread(mlir::ModuleOp module);

} // namespace kolam::rewrite
