/// The two kinds of executables: interpreted and native.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/driver/spine.h"

namespace kolam::driver {

/// Means by `accumulate` what `target` computes.
std::shared_ptr<const Executable> interpreted(Module program, const backend::cpu::Target& target);

/// What a road up to `Stage::loaded` leads to. Where a check of a program on lists fails,
/// the interpreter runs the program once more: its error names the elements by their path. A run
/// that is too long for that, that calls the host, or that has written over its arguments says so.
std::shared_ptr<const Executable> native(Road road, const backend::cpu::Target& target);

} // namespace kolam::driver
