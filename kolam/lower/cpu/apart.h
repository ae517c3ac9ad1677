/// Which memory of a nest's function is surely not the same.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower::cpu {

/// The attribute, in LLVM, of functions whose loops read what earlier steps have written.
inline constexpr llvm::StringLiteral kCarriesMemory = "kolam-carries-memory";

/// Says of such a function that memory of different groups does not overlap: loads and stores at
/// addresses that count from a pointer of one group never meet those of another.
void tell_apart(mlir::func::FuncOp function, ValueSpan pointers, llvm::ArrayRef<int> groups);

} // namespace kolam::lower::cpu
