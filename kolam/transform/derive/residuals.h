/// Which values a body keeps for its linear part, and which are computed again.
#pragma once

#include "kolam/transform/derive/bodies.h"

namespace kolam::transform::derive {

/// Flops that cost no more than an element which is written and read.
inline constexpr double kFewFlops = 8; ///< assumed

/// Whether computing the op's result again costs less than keeping it: elementwise functions of few
/// flops, views, broadcasts, random bits.
bool is_cheap_again(mlir::Operation* op, double most_flops = kFewFlops);

/// Keeps the fewest bytes from which the residuals can be computed by ops that are cheap again.
/// What the linear program reads else, it computes again, by the same ops: the same bits. Where all
/// steps keep more than caches hold, more flops are few.
void cut_residuals(Apart& apart, const Steps& steps);

} // namespace kolam::transform::derive
