/// Convolutions in PyTorch's layout.
#pragma once

#include "kolam/frontend/array/tensor.h"
#include "kolam/support/convolution_window.h"

#include <optional>

namespace kolam {

/// A filter moved over 1, 2, 3 or more spatial dims:
///
///     result[n, o, y] = sum_{c, k} x[n, g c' + c, strides y + dilation k - before] w[o, c, k]
///
/// for x [n, channels, spatial...] and w [o, c' = channels / groups, window...], where g is the
/// group of o; elements outside x are zeros that take part. Products are added over window
/// positions row-major, then channels; dtypes and `dtype` are as for matmul. `conv(x, w, {.strides
/// = {2}, .padding = Padding::same})`. Throws `[rank-mismatch]`, `[shape-mismatch]` where channels
/// and groups do not fit or the window exceeds the padded input, `[bad-window]` for strides,
/// dilations or groups below 1 and negative padding.
Tensor conv(const Operand& x, const Operand& w, const ConvolutionWindow& window = {},
            std::optional<DType> dtype = {});

/// `conv` for x of rank 3, 4 and 5; others are `[rank-mismatch]`.
Tensor conv1d(const Operand& x, const Operand& w, const ConvolutionWindow& window = {},
              std::optional<DType> dtype = {});
Tensor conv2d(const Operand& x, const Operand& w, const ConvolutionWindow& window = {},
              std::optional<DType> dtype = {});
Tensor conv3d(const Operand& x, const Operand& w, const ConvolutionWindow& window = {},
              std::optional<DType> dtype = {});

/// The transposed convolution, by which every element of x puts the filter, times itself, into the
/// result:
///
///     result[n, o, strides y + dilation k - before] += x[n, c, y] w[c, o', k]
///
/// for x [n, channels, spatial...] and w [channels, outputs / groups, window...], PyTorch's layout.
/// A dim of n elements gives (n - 1) strides - before - after + dilation (k - 1) + 1 +
/// output_padding, with padding "same" strides times n. Throws what `conv` throws.
///
///     >>> import kolam as ko
///     >>> ko.conv_transpose(ko.asarray([[[1.0, 2.0]]]), ko.asarray([[[1.0, 10.0]]]),
///     strides=2).tolist()
///     [[[1.0, 10.0, 2.0, 20.0]]]
Tensor conv_transpose(const Operand& x, const Operand& w, const ConvolutionWindow& window = {},
                      const std::vector<int64_t>& output_padding = {0},
                      std::optional<DType> dtype = {});

} // namespace kolam
