/// Which build of the compiler this is.
#pragma once

#include <string>

namespace kolam::backend::cpu {

/// The build ids of the libraries that hold Kolam, MLIR and LLVM, in hexadecimal digits: what may
/// change generated code without a change of its source. Empty where one of them has none.
const std::string& build_identity();

} // namespace kolam::backend::cpu
