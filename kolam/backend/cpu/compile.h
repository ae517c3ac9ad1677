/// From the LLVM dialect to machine code.
#pragma once

#include "kolam/backend/cpu/target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace kolam::backend::cpu {

/// The object file of a module in the LLVM dialect; `symbol` becomes the name of its nest function.
std::string compile_object(mlir::ModuleOp module, const Target& target, const std::string& symbol);

/// The same as readable text: LLVM IR after optimisation, or assembly.
std::string llvm_text(mlir::ModuleOp module, const Target& target);
std::string assembly_text(mlir::ModuleOp module, const Target& target);

} // namespace kolam::backend::cpu
