/// The rules of programs that no single op's verifier can see.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kolam::driver {

/// Which symbols the arguments of a function bind: those that are an extent of their own or, of
/// traced programs, all of their expressions, which the call solves (`rows + 1` offsets).
enum class SymbolsOf : uint8_t { extents, expressions };

/// Emits a diagnostic and fails where a verified module is no program: it holds other things than
/// functions of one block, ops of other dialects, values that are no tensors of a kolam dtype, or
/// symbols that no argument binds.
llvm::LogicalResult check_program_rules(mlir::ModuleOp module,
                                        SymbolsOf arguments = SymbolsOf::extents);

/// Throws where the extents of an op surely do not agree, or are too large to compare.
void check_sizes(mlir::ModuleOp module);

/// Inserts a check in front of every op whose extents must agree in a way that only the run can
/// see, so that no text makes compiled code leave a buffer. What a check before the op makes sure
/// of is not checked again. For programs read from text: tracing makes the checks that it needs.
void guard_sizes(mlir::ModuleOp module);

} // namespace kolam::driver
