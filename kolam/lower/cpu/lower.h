/// Lowering: each nest becomes one function of the nest ABI, first as loops, then in the LLVM
/// dialect.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/schedule.h"
#include "kolam/support/machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kolam::lower::cpu {

/// The name of the function in every nest module.
inline constexpr llvm::StringLiteral kNestFunction = "kolam_nest";

/// A module with the nest's function over scf, arith, math and llvm ops.
mlir::OwningOpRef<mlir::ModuleOp> lower_nest(const nest::Nest& nest, const Machine& machine,
                                             const nest::Schedule& schedule);
/// The same by the schedule that the rules choose.
mlir::OwningOpRef<mlir::ModuleOp> lower_nest(const nest::Nest& nest, const Machine& machine);

/// Loads the dialects that lowering makes ops of.
void load_dialects(mlir::MLIRContext& context);

} // namespace kolam::lower::cpu
