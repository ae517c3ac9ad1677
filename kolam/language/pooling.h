/// Reductions of the elements in windows that move over the last dims.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/convolution_window.h"
#include "kolam/support/elementwise.h"

namespace kolam::language {

/// result[n, y] = fn over k of x[n, strides y + dilation k - low] for a window of `lengths`, one
/// for each of the last dims of x; elements outside x are fn's identity. Up to 64 elements are
/// combined row-major, those of larger windows dim by dim. Throws `[bad-window]`, `[rank-mismatch]`
/// and `[shape-mismatch]` where the window spans more than the padded input.
Value reduce_window(Builder& b, Value x, Fn fn, const Axes& lengths,
                    const ConvolutionWindow& window);

/// The mean of the elements in each window; with `counts_padding` the elements of padding count as
/// zeros. f16 and bf16 compute in f32 and round once, integers give f32. Throws as `reduce_window`.
Value average_window(Builder& b, Value x, const Axes& lengths, const ConvolutionWindow& window,
                     bool counts_padding);

/// Lengths for the last dims of x: `lengths` themselves, or one for all dims but the first two.
Axes window_lengths(Value x, const Axes& lengths);

} // namespace kolam::language
