/// Kernels leave a program: what is left are loops over arrays.
#pragma once

#include "kolam/language/builder.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace kolam::transform {

/// Whether a program holds kernels.
bool has_kernels(mlir::ModuleOp module);

/// What kernels become arrays for. Where derivatives are taken composites stay, and loops over
/// grids say what they are (kernels/grid_loop.h).
enum class KernelUse : uint8_t { run, differentiated };

/// Replaces every kernel call by ops on arrays with the same results, bit by bit: by one program
/// over whole arrays where points compute blocks of their own (kernels/whole_grid.h), else by loops
/// over its grid, where arrays that a kernel changes are states and Refs are indices into them
/// (docs/design/kernels.md). A line for each says which, and why.
std::vector<std::string> kernels_to_values(mlir::ModuleOp module, KernelUse use = KernelUse::run);

/// What one kernel of a program that is still being made gives for operands, as ops on arrays at
/// the builder's place.
language::Values kernel_on_arrays(language::Builder& b, ir::KernelCallOp op,
                                  const language::Values& operands, KernelUse use = KernelUse::run);

/// Of an op that kernels became: which Ref's array each of its results is, "outputs[0] 'o' of
/// kernel k"; empty for others.
std::string ref_name(mlir::OpResult result);
void set_ref_names(mlir::Operation* op, llvm::ArrayRef<std::string> names);
/// Of an op that gives those results of `op` alone.
void keep_ref_names(mlir::Operation* op, mlir::Operation* made, llvm::ArrayRef<unsigned> kept);

} // namespace kolam::transform
