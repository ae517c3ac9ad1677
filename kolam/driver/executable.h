/// The two kinds of executables: interpreted and native.
#pragma once

#include "kolam/backend/cpu/load.h"
#include "kolam/driver/compile.h"
#include "kolam/nest/nest.h"

namespace kolam::driver {

/// Means by `accumulate` what `target` computes.
std::shared_ptr<const Executable> interpreted(Module program, const backend::cpu::Target& target);

/// `main` gives the argument types and, for errors, the lines of ops; it need not outlive the call.
std::shared_ptr<const Executable>
native(nest::NestList nests, std::vector<std::shared_ptr<const backend::cpu::LoadedNest>> loaded,
       mlir::func::FuncOp main);

} // namespace kolam::driver
