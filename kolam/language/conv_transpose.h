/// Transposed convolutions.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/convolution_window.h"

#include <optional>

namespace kolam::language {

/// result[n, o, strides y + dilation k - low] += x[n, c, y] w[c, o', k] for x [n, channels,
/// spatial...] and w [channels, outputs / groups, window...]; `output_padding` elements more at the
/// end of each dim. Throws what `convolution` throws.
Value conv_transpose(Builder& b, Value x, Value w, const ConvolutionWindow& window,
                     const Axes& output_padding, std::optional<DType> dtype);

} // namespace kolam::language
