/// What the dynamic slices share: a box at starts known at run time.
#pragma once

#include "kolam/ir/signature_parts.h"
#include "kolam/ir/signed_op.h"

namespace kolam::ir {

/// One integer scalar for each dim of `operand`, and a box that may lie inside it.
llvm::LogicalResult expect_starts(mlir::Operation* op, mlir::ValueRange starts, mlir::Value operand,
                                  mlir::Value box, llvm::StringRef what);

/// The box may lie inside the operand: what `expect_starts` cannot see before the run.
std::vector<SizePromise> box_promises(mlir::Value operand, mlir::Value box);

/// The dims along which the box is as long as the operand: its start is 0 there.
std::vector<bool> full_dims(mlir::Value operand, mlir::Value box);

/// Every point reads every start.
void add_start_reads(mlir::ValueRange starts, int64_t index_rank,
                     std::vector<space::Operand>& reads);

} // namespace kolam::ir
