/// Reductions of the elements in windows that move over the last dims.
///
/// `window` has a length for each of the last dims of x, or one for all dims but the first two,
/// which are batch and channels in PyTorch's layout. `strides` (the window's lengths unless given),
/// `padding` ("valid", "same" or pairs of elements) and `dilation` have one entry for each or one
/// for all. All throw `[bad-window]`, `[rank-mismatch]`, and `[shape-mismatch]` where the window
/// spans more than the padded input.
#pragma once

#include "kolam/frontend/array/tensor.h"
#include "kolam/support/convolution_window.h"

#include <string_view>

namespace kolam {

struct PoolOptions {
  std::vector<int64_t> strides = {};
  std::variant<Padding, PaddingPairs> padding = Padding::valid;
  std::vector<int64_t> dilation = {1};
};

/// The elements in each window combined by `function`: "max", "min", "sum" or "prod".
///
///     result[n..., y...] = function over k of x[n..., strides y + dilation k - before]
///
/// Elements of padding are the function's identity. Strides are 1 unless given. Up to 64 elements
/// are combined in row-major order, larger windows dim by dim; dtypes as `sum`, those of "max" and
/// "min" as of x. Throws `[unknown-reduction]`.
///
///     >>> import kolam as ko
///     >>> ko.reduce_window(ko.asarray([1, 5, 2, 3]), 2, "sum").tolist()
///     [6, 7, 5]
Tensor reduce_window(const Operand& x, const std::vector<int64_t>& window,
                     std::string_view function = "max", const PoolOptions& options = {});

/// The greatest element of each window; NaN where one is.
///
///     >>> import kolam as ko
///     >>> ko.max_pool(ko.asarray([[[1.0, 5.0, 2.0, 3.0]]]), 2).tolist()
///     [[[5.0, 3.0]]]
Tensor max_pool(const Operand& x, const std::vector<int64_t>& window,
                const PoolOptions& options = {});
/// The mean of the elements of each window, where elements of padding count as zeros, or not at all
/// unless `count_include_pad`. Integers give float32.
///
///     >>> import kolam as ko
///     >>> ko.avg_pool(ko.asarray([[[1.0, 5.0, 2.0, 4.0]]]), 2).tolist()
///     [[[3.0, 3.0]]]
Tensor avg_pool(const Operand& x, const std::vector<int64_t>& window,
                const PoolOptions& options = {}, bool count_include_pad = true);

} // namespace kolam
