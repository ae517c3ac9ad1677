/// Putting elements back where a read took them from.
#pragma once

#include "kolam/language/scatter.h"
#include "kolam/space/affine_map.h"
#include "kolam/space/policy.h"
#include "kolam/transform/derive/linearisation.h"

namespace kolam::transform::derive {

/// `x` as `shape`, whose extents have the same product.
Value reshaped(Builder& b, Value x, const Shape& shape);

/// The value, computed once and kept in memory: before what overwrites its operands in place.
Value in_memory(Builder& b, Value x);

/// Zeros of `extent` along `dim`, with the elements of `x` at start, start + step, ...
Value put_apart(Builder& b, Value x, int64_t dim, const Extent& start, int64_t step,
                const Extent& extent);

/// Elements of `v` added to zeros of `type` at the places that `columns` give for each, row-major.
Value added_at(Builder& b, Value v, mlir::Type type, const Values& columns);

/// Elements of `v` added to zeros of `type` where an affine map of their index says: term by term
/// of the map's adjoint (space/adjoint.h), by a scatter where that has too many, or extents are no
/// numbers. Narrow floats in f32, which the result has too.
Value accumulated(Builder& b, Value v, mlir::Type type, const space::AffineMap& map);
/// The same where places outside land by a policy, and in the order of a scatter, which `scattered`
/// makes.
Value accumulated(Builder& b, Value v, mlir::Type type, const space::AffineMap& map,
                  const space::Policy& policy, llvm::function_ref<Value()> scattered);

/// Windows added to zeros of `type` at their places, in their order; narrow floats in f32, which
/// the result has too.
Value sum_at(Builder& b, Value windows, mlir::Type type, Value places,
             const language::ScatterSpec& spec);

} // namespace kolam::transform::derive
