/// Reads programs from text.
#pragma once

#include "kolam/driver/compile.h"

namespace kolam::driver {

/// A program and the names its text gives.
struct ParsedProgram {
  Module program;
  std::vector<std::string> parameter_names; ///< "x" for an argument written %x
  std::vector<std::string> result_names;    ///< of the returned values
};

/// Parses and checks a program; its first function becomes `main`. Throws `[bad-program]` with line
/// and column: for malformed text, ops of other dialects, types that are none of a program's,
/// nesting deeper than 500 and extents whose product overflows. Hostile text cannot crash the
/// process, and `compile` guards what only the run can see (program_rules.h).
ParsedProgram parse(const std::string& text, const std::string& file_name);

} // namespace kolam::driver
