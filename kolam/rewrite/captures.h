/// What bodies of loops and branches capture, and checks that hold.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace kolam::rewrite {

/// A value that a body captures twice is one argument of it; one that costs nothing is made in the
/// body, where the rules see it. A check of what is true goes.
void add_capture_patterns(mlir::RewritePatternSet& patterns);

} // namespace kolam::rewrite
