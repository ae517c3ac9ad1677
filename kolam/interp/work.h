/// What a run of the interpreter costs, counted in index points: `Options::work_left`.
#pragma once

#include "kolam/interp/evaluation.h"

namespace kolam::interp {

/// A run was stopped because it does more than `Options::work_left`.
struct OutOfWork {};

/// An op, or an element of a list, takes as long as this many points of an op on arrays.
inline constexpr int64_t kOpPoints = 100;

/// Takes `points` from what the run may still do. Throws OutOfWork where that is less.
void spend(const Options& options, double points);
/// Spends what `op` is about to do; the ops in its bodies count when they run.
void spend_before(mlir::Operation* op, const Evaluation& evaluation);
/// Spends what the lists that `op` has made took to build.
void spend_after(mlir::Operation* op, const Evaluation& evaluation);

} // namespace kolam::interp
