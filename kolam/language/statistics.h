/// Weighted means and covariances: composites in f32 (f64 for f64) that round once.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// max(x) - min(x) over `dims`.
Value peak_to_peak(Builder& b, Value x, const Axes& dims);

/// sum(x weights) / sum(weights) over `dims`; of null weights the mean. Weights have the shape of
/// x, or of its dims `dims`. Throws `[shape-mismatch]`.
Value average(Builder& b, Value x, Value weights, const Axes& dims);

/// The covariances of the rows of x, [n, samples]: centred rows times each other by samples -
/// correction. Of rank 1 the variance.
Value covariance(Builder& b, Value x, double correction);
/// covariance[i, j] / sqrt(covariance[i, i] covariance[j, j]), kept in [-1, 1].
Value correlation(Builder& b, Value x);

} // namespace kolam::language
