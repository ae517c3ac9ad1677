/// The two kinds of executables: interpreted and native.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/driver/compiled_program.h"

#include <optional>

namespace kolam::driver {

/// Steps of `accumulate` are one operation where `has_fma`, as on a target that has it.
std::shared_ptr<const Executable> interpreted(Module program, bool has_fma);

/// A program on lists as it was traced, for the interpreter.
struct OnLists {
  Module program;
  bool is_traced = false; ///< `leave_what_runs` (spine.h) is still to come
};

/// Runs a compiled program. Where a check of a program on lists fails,
/// the interpreter runs the program once more: its error names the elements by their path. A run
/// that is too long for that, that calls the host, or that has written over its arguments says so.
/// Sorts use registers no wider than the machine that the code was made for has.
std::shared_ptr<const Executable> native(CompiledProgram program, std::optional<OnLists> on_lists,
                                         const Machine& machine);

} // namespace kolam::driver
