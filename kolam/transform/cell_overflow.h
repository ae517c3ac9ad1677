/// Whether functions of single integers stay in range.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::transform {

/// True, element by element, where the result of an elementwise function or a cast is what the
/// integers give; null where it always is, and for all other ops. Inserts at the builder's place,
/// where the result is known.
language::Value cell_fits(language::Builder& b, mlir::Operation* op);

} // namespace kolam::transform
