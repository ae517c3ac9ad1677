/// The interface of every op that says which indices it has and what each index touches.
#pragma once

#include "kolam/ir/facts.h"
#include "kolam/space/data_dim.h"
#include "kolam/space/signature.h"

#include "mlir/IR/OpDefinition.h"

namespace kolam::ir {

/// `smaller <= greater`: what must hold between extents for an op to have a meaning.
struct SizePromise {
  Extent smaller, greater;
};

/// Of an op that says no more than its signature (ir/data_dim_rows.h).
std::vector<space::DataDimTable> data_dim_rows_by_signature(mlir::Operation* op,
                                                            const space::DataDimQuestion& question);

} // namespace kolam::ir

#include "kolam/ir/signed_op.h.inc"
