/// Checks for places outside of arrays and for broken promises of unique places.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::transform {

/// Checks behind a gather, scatter, dynamic_slice or dynamic_update_slice that its starts leave the
/// window inside, and behind a scatter that promises unique indices that no element is met twice;
/// nothing behind others.
void check_bounds(language::Builder& b, mlir::Operation* op);

} // namespace kolam::transform
