/// Reductions, whichever op states them: what they combine, and the scalar code of monoids.
#pragma once

#include "kolam/ir/reduction.h"
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
  /// Whether the boolean holds that is the one element, or is an integer there; may be missing.
  std::function<Value(IndexSpan index)> holds = nullptr;
  bool fits_chunk = false;   ///< mostly the elements are one chunk, though nothing says so
  bool costs_little = false; ///< an element is a load and a few operations
};

/// Of a kolam.reduce, or of a kolam.zip_map_reduce with a monoid.
ReductionCode reduction_code(mlir::Operation* op, Emission& emission);
ReductionCode reduction_code(ir::ReduceOp op, Emission& emission);
ReductionCode reduction_code(ir::ZipMapReduceOp op, Emission& emission);

} // namespace kolam::lower
