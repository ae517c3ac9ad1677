/// Tapers of signals: weights of n elements, float32, that fall to the borders.
///
/// A taper of one element is 1. Computed in f64 and rounded once. Throws `[extent-negative]`.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <source_location>

namespace kolam {

/// A triangle: result[i] = 1 - |2 i / (n - 1) - 1|.
Tensor bartlett(int64_t n, std::source_location here = std::source_location::current());
/// result[i] = 0.42 - 0.5 cos(2 pi i / (n - 1)) + 0.08 cos(4 pi i / (n - 1)).
Tensor blackman(int64_t n, std::source_location here = std::source_location::current());
/// result[i] = 0.54 - 0.46 cos(2 pi i / (n - 1)).
Tensor hamming(int64_t n, std::source_location here = std::source_location::current());
/// result[i] = 0.5 - 0.5 cos(2 pi i / (n - 1)).
Tensor hanning(int64_t n, std::source_location here = std::source_location::current());

} // namespace kolam
