// Makes transposed convolutions: convolutions of a stretched input with the filter reversed.
#include "kolam/language/conv_transpose.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/convolution.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/reverse.h"
#include "kolam/language/slice.h"
#include "kolam/language/sliding_window.h"
#include "kolam/language/transpose.h"

#include <numeric>

namespace kolam::language {
namespace {

/// Zeros between neighbours of the spatial dims: n elements become (n - 1) stride + 1.
Value stretched(Builder& b, Value x, llvm::ArrayRef<int64_t> strides) {
  for (auto [d, stride] : llvm::enumerate(strides)) {
    if (stride == 1)
      continue;
    auto dim = static_cast<int64_t>(2 + d);
    Shape shape = ir::shape_of(x);
    std::vector<PadWidth> widths(shape.size() + 1, PadWidth{0, 0});
    widths[dim + 1] = {0, stride - 1};
    Value zero = cast(b, weak_constant(b, false, DType::boolean), ir::dtype_of(x));
    Value spaced = pad(b, expand_dims(b, x, Axes{dim + 1}), widths, "constant", zero);
    Extent extent = shape[dim];
    shape[dim] = extent * Extent(stride);
    x = slice_dim(b, reshape(b, spaced, shape), dim, 0, max(shape[dim] - Extent(stride - 1), 0));
  }
  return x;
}

/// w [channels, outputs / groups, window...] as the filter of a convolution, [outputs, channels /
/// groups, window...], its window reversed.
Value reversed_filter(Builder& b, Value w, int64_t groups) {
  Shape shape = ir::shape_of(w);
  Axes spatial(shape.size() - 2);
  std::iota(spatial.begin(), spatial.end(), 2);
  w = flip(b, w, spatial);
  if (groups == 1)
    return moveaxis(b, w, {0}, {1});
  Shape split = shape;
  split[0] = floordiv(shape[0], groups);
  split.insert(split.begin(), Extent(groups));
  w = moveaxis(b, reshape(b, w, split), {1}, {2});
  Shape joined = shape;
  joined[0] = shape[1] * Extent(groups);
  joined[1] = split[1];
  return reshape(b, w, joined);
}

/// JAX's rule: as many elements as give strides times the extent.
std::pair<int64_t, int64_t> same_padding(int64_t span, int64_t stride) {
  int64_t total = span + stride - 2;
  int64_t low = stride > span - 1 ? span - 1 : (total + 1) / 2;
  return {low, total - low};
}

int64_t constant_extent(const Extent& extent) {
  if (!extent.is_constant())
    fail_argument(ErrorKind::value, "symbolic-extent", "w", "a window whose extents are numbers",
                  extent.to_string());
  return *extent.constant();
}

} // namespace

Value conv_transpose(Builder& b, Value x, Value w, const ConvolutionWindow& window,
                     const Axes& output_padding, std::optional<DType> dtype) {
  int64_t rank = ir::rank_of(x);
  require_convolution_ranks(x, w);
  auto spatial = static_cast<size_t>(rank - 2);
  if (output_padding.size() != 1 && output_padding.size() != spatial)
    fail_argument(ErrorKind::value, "bad-window", "output_padding",
                  "1 entry or " + std::to_string(spatial), std::to_string(output_padding.size()));
  if (window.groups < 1)
    fail_argument(ErrorKind::value, "bad-window", "groups", "1 group or more",
                  std::to_string(window.groups));
  Shape x_shape = ir::shape_of(x), w_shape = ir::shape_of(w);
  unify(b, x_shape[1], w_shape[0], "channels of x and dim 0 of w");
  if (auto channels = w_shape[0].constant(); !channels || *channels % window.groups != 0)
    fail_argument(ErrorKind::value, "shape-mismatch", "w",
                  "a number of channels that " + std::to_string(window.groups) +
                      " groups divide in dim 0",
                  describe(w));
  Shape input(x_shape.begin() + 2, x_shape.end()), filter(w_shape.begin() + 2, w_shape.end());
  ConvolutionWindow numbers = window;
  bool is_same = std::holds_alternative<Padding>(window.padding) &&
                 std::get<Padding>(window.padding) == Padding::same;
  if (is_same)
    numbers.padding = Padding::valid;
  SlidingWindow read = read_window(numbers, input, filter);

  ConvolutionWindow inner{
      .strides = {1}, .padding = PaddingPairs{}, .dilation = {}, .groups = window.groups};
  PaddingPairs padding;
  std::vector<PadWidth> cropped;
  for (size_t d = 0; d < spatial; ++d) {
    int64_t more = output_padding[output_padding.size() == 1 ? 0 : d];
    int64_t span = constant_extent(window_span(filter[d], read.dilation[d]));
    if (more < 0 || (more > 0 && more >= std::max(read.strides[d], read.dilation[d])))
      fail_argument(ErrorKind::value, "bad-window", "output_padding",
                    "less than strides or dilation, and 0 or more", std::to_string(more));
    std::pair<int64_t, int64_t> around{span - 1 - read.low[d], span - 1 - read.high[d] + more};
    if (is_same) {
      around = same_padding(span, read.strides[d]);
      around.second += more;
    }
    cropped.push_back({std::max<int64_t>(-around.first, 0), std::max<int64_t>(-around.second, 0)});
    padding.push_back({std::max<int64_t>(around.first, 0), std::max<int64_t>(around.second, 0)});
  }
  inner.padding = padding;
  inner.dilation.assign(read.dilation.begin(), read.dilation.end());
  x = stretched(b, x, read.strides);
  for (size_t d = 0; d < spatial; ++d) {
    auto dim = static_cast<int64_t>(2 + d);
    Extent cut = Extent(cropped[d].before + cropped[d].after), extent = ir::shape_of(x)[dim];
    if (cut == Extent(0))
      continue;
    require_at_most(b, cut, extent, "shape-mismatch",
                    "argument 'padding': expected a result of some elements along spatial dim " +
                        std::to_string(d) + ", but the padding takes all");
    x = slice_dim(b, x, dim, cropped[d].before, extent - cut);
  }
  return convolution(b, x, reversed_filter(b, w, window.groups), inner, dtype);
}

} // namespace kolam::language
