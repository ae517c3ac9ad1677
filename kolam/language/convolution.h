/// Convolutions over any number of spatial dims.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/convolution_window.h"

#include <optional>

namespace kolam::language {

/// result[n, o, y] = sum_{k, c} x[n, g c' + c, strides y + dilation k - low] w[o, c, k] for x [n,
/// channels, spatial...] and w [o, c' = channels / groups, window...], g the group of o.
/// Accumulates window positions row-major, then c. Throws `[rank-mismatch]`, `[shape-mismatch]`,
/// `[dtype-mismatch]`, `[bad-window]`.
Value convolution(Builder& b, Value x, Value w, const ConvolutionWindow& window,
                  std::optional<DType> dtype = {});

/// Throws `[rank-mismatch]` unless x has batch, channels and spatial dims and w has its rank.
void require_convolution_ranks(Value x, Value w);

} // namespace kolam::language
