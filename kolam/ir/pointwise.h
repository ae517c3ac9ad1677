/// Loops and branches whose results are computed element by element: state elements at an index
/// need state elements at the same index alone.
#pragma once

#include "kolam/ir/signed_op.h"

#include "mlir/IR/Value.h"

#include <string>
#include <vector>

namespace kolam::ir {

/// How the bodies of a loop read what they are given, for one element of each result:
///
///     for t: state[i] = f(state[i], xs[t, i], captures...)
///
/// so that the loop over t may stand inside the loops over i. Results are of one shape; scalars may
/// be carried beside them, which depend on scalars only and are not read behind the loop.
struct Pointwise {
  std::string why_not; ///< why single elements cannot be had; empty where they can
  Shape shape;         ///< of the results; of a scan of its states
  /// For each operand of the op, and each of its dims (of what a step is given, where that is a
  /// slice): the result dim that its place copies, or kAnywhere.
  std::vector<std::vector<int>> reads;
  bool reads_counter = false; ///< of a `for`
  double flops = 0;           ///< of one element of the results; of a scan at one step
  double step_flops = 0;      ///< of one element at one step
};
inline constexpr int kAnywhere = -1;

/// Whether a loop carries several numbers, by a body without loops: arrays in its body are made of
/// them, and each of their elements stands in the code at a place of its own.
bool carries_numbers(mlir::Operation* loop);

/// Of a `for`, `while`, `scan` or `cond`; of another op that it is none of these.
Pointwise pointwise(mlir::Operation* op);

/// The signature of such an op; an opaque one where it has no single elements.
space::Signature pointwise_signature(mlir::Operation* op);
space::Signature pointwise_signature(mlir::Operation* op, const Pointwise& pointwise);

/// Assumed: steps that a loop counts as whose number depends on data; one that may last is never
/// taken for short.
inline constexpr double kUnknownSteps = 1e6;

/// The steps of a `for`, `while` or `scan`, about.
double rough_steps(mlir::Operation* loop);

/// The ops in the regions of an op, and in theirs.
size_t ops_inside(mlir::Operation* op);

/// Arithmetic for one index point: what the op says, and of loops over elements all steps.
double flops_per_point(mlir::Operation* op);

} // namespace kolam::ir
