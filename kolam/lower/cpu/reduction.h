/// Emitting a reduction, whichever op states it.
#pragma once

#include "kolam/ir/reduction.h"
#include "kolam/lower/cpu/column_accumulation.h"
#include "kolam/lower/emission.h"

namespace kolam::lower {

/// The register value of fn's identity.
Value emit_identity(Fn fn, DType dtype, Emission& emission);
Value emit_cast(DType from, DType to, Value x, Emission& emission);
/// fn(x, y) on one dtype.
Value emit_function(Fn fn, DType dtype, ValueSpan arguments, Emission& emission);

/// A reduction and the code for what it combines.
struct ReductionCode {
  mlir::Operation* op;
  ir::Reduction reduction;
  Values space;
  /// The elements at an index of the space; reduced dims that join are walked as one, by indices as
  /// in JoinedDims.
  std::function<Values(IndexSpan index)> element;
};

/// Of a kolam.reduce, or a kolam.zip_map_reduce with a monoid.
ReductionCode reduction_code(mlir::Operation* op, Emission& emission);
ReductionCode reduction_code(ir::ReduceOp op, Emission& emission);
ReductionCode reduction_code(ir::ZipMapReduceOp op, Emission& emission);

/// The results at each of `kept_indices`, indices of the kept dims: the elements at the indices of
/// the space that share one, combined in the order that the reduction says. The walks run side by
/// side, an element of each at every step. The twin of interp/reduction.h.
std::vector<Values> emit_reductions(const ReductionCode& code, llvm::ArrayRef<Index> kept_indices,
                                    Emission& emission);

/// The same at all columns of a block of the innermost kept dim, beside the outer ones at `outer`,
/// row by row. Elements at these columns are known until `leave`.
void emit_column_reduction(const ReductionCode& code, IndexSpan outer, const Columns& columns,
                           Emission& emission);

} // namespace kolam::lower
