/// Reads programs from text.
#pragma once

#include "kolam/driver/compile.h"

namespace kolam::driver {

/// Parses and checks a program; its first function becomes `main`. Throws `[bad-program]` with line and column: for
/// malformed text, ops of other dialects, types that are none of a program's, nesting deeper than 500 and extents
/// whose product overflows. Hostile text cannot crash the process.
Module parse(const std::string& text, const std::string& file_name);

} // namespace kolam::driver
