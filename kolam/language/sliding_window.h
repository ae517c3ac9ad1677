/// Windows that move over spatial dims, as those of convolutions and pooling do.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/convolution_window.h"

namespace kolam::language {

/// A window with one entry a spatial dim; `low` and `high` are the elements of padding.
struct SlidingWindow {
  llvm::SmallVector<int64_t> strides, dilation, low, high;
};

/// The elements that a window of `extent` positions spans.
Extent window_span(const Extent& extent, int64_t dilation);

/// `window` over spatial dims of extents `input`, `filter` elements long along each. Throws
/// `[bad-window]`.
SlidingWindow read_window(const ConvolutionWindow& window, const Shape& input, const Shape& filter);

/// How many positions the window has along each dim. Throws `[shape-mismatch]` where it spans more
/// than the padded input, at run time where that shows only then.
Shape window_positions(Builder& b, const Shape& input, const Shape& filter,
                       const SlidingWindow& window);

} // namespace kolam::language
