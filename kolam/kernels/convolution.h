/// Convolution of images by windows of rows that overlap.
#pragma once

#include "kolam/frontend/pallas/pallas_call.h"
#include "kolam/support/convolution_window.h"

#include <array>

namespace kolam::kernels {

/// Elements of zeros around an image: by rule, or (before, behind) for its height and width.
using ImagePadding = std::variant<Padding, std::array<std::pair<int64_t, int64_t>, 2>>;

struct Conv2dOptions {
  std::array<int64_t, 2> stride = {1, 1};
  ImagePadding padding = Padding::valid;
  std::array<int64_t, 2> dilation = {1, 1};
  int64_t block_h = 8;
  std::optional<DType> out_dtype = {};
  std::optional<pallas::InterpretParams> interpret = {};
};

/// A filter moved over images whose channels stand last:
///
///     result[b, i, j, o] = sum_{y, z, c} x[b, at(0, i, y), at(1, j, z), c] w[y, z, c, o],
///     at(d, i, y) = stride[d] i + dilation[d] y - before[d]
///
/// x is [batch, height, width, channels] and w [window height, window width, channels, outputs],
/// promoted to one dtype of numbers; the result is [batch, height', width', outputs]. Elements
/// outside are zeros; padding "same" gives as many positions as the stride leaves. A point of the
/// grid makes block_h rows of one image from the window of rows that they need; windows overlap.
/// Sums of floats are f32, or f64 of such; those of integers have `out_dtype`, that of the operands
/// unless given. Throws `[rank-mismatch]`, `[shape-mismatch]` for other channels or a filter larger
/// than the padded image, `[dtype-mismatch]`, `[bad-window]`, `[bad-block]`, and
/// `[symbolic-extent]` for images whose extents only the run knows.
Tensor conv2d(const Operand& x, const Operand& w, const Conv2dOptions& options = {});

} // namespace kolam::kernels
