/// Lowering: each nest becomes one function of the nest ABI, first as loops, then in the LLVM
/// dialect.
#pragma once

#include "kolam/lower/machine.h"
#include "kolam/lower/schedule.h"
#include "kolam/nest/nest.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kolam::lower {

/// The name of the function in every nest module.
inline constexpr llvm::StringLiteral kNestFunction = "kolam_nest";

/// A module with the nest's function over scf, arith, math and llvm ops.
mlir::OwningOpRef<mlir::ModuleOp> lower_nest(const nest::Nest& nest, const Machine& machine,
                                             const Schedule& schedule = {});

/// How the nest's elements are walked, for people: `16 lanes, dims 0 to 1 as one`.
std::string describe_walk(const nest::Nest& nest, const Machine& machine,
                          const Schedule& schedule = {});

/// Rewrites the module to the LLVM dialect; false, with a diagnostic, where an op has no lowering.
bool to_llvm(mlir::ModuleOp module);

/// Loads the dialects that lowering makes ops of.
void load_dialects(mlir::MLIRContext& context);

} // namespace kolam::lower
