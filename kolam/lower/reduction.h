/// Emitting a reduction, whichever op states it.
#pragma once

#include "kolam/ir/reduction.h"
#include "kolam/lower/emission.h"

namespace kolam::lower {

/// The register value of fn's identity.
Value emit_identity(Fn fn, DType dtype, Emission& emission);
Value emit_cast(DType from, DType to, Value x, Emission& emission);
/// fn(x, y) on one dtype.
Value emit_function(Fn fn, DType dtype, ValueSpan arguments, Emission& emission);

/// The results of `op` at an index of the kept dims: the elements at the indices of `space` that
/// share it, combined in the order that the reduction says. Reduced dims that join are walked as
/// one, by indices as in JoinedDims. The twin of interp/reduction.h.
Values emit_reduction(mlir::Operation* op, const ir::Reduction& reduction, ValueSpan space,
                      IndexSpan kept_index, const std::function<Values(IndexSpan index)>& element,
                      Emission& emission);

} // namespace kolam::lower
