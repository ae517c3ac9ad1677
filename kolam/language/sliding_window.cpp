// Reads how windows move over spatial dims.
#include "kolam/language/sliding_window.h"

#include "kolam/language/broadcast.h"

#include <limits>

namespace kolam::language {

Extent window_span(const Extent& extent, int64_t dilation) {
  return extent == Extent(0) ? Extent(0) : Extent(dilation) * (extent - 1) + 1;
}

namespace {

[[noreturn]] void fail_window(std::string_view argument, const std::string& expected,
                              const std::string& actual) {
  fail_argument(ErrorKind::value, "bad-window", argument, expected, actual);
}

/// One entry a dim, from such a list or one for all.
template <class T>
std::vector<T> spread(const std::vector<T>& entries, size_t rank, std::string_view argument) {
  if (entries.size() != rank && entries.size() != 1)
    fail_window(argument, (rank == 1 ? "1 entry" : "1 entry or " + std::to_string(rank)),
                std::to_string(entries.size()));
  return entries.size() == rank ? entries : std::vector<T>(rank, entries.front());
}

/// Windows beyond this are mistakes, and would overflow the arithmetic of places.
constexpr int64_t kMostCells = std::numeric_limits<int32_t>::max();

void require_cells(int64_t entry, int64_t least, std::string_view argument) {
  if (entry < least || entry > kMostCells)
    fail_window(argument,
                "each from " + std::to_string(least) + " to " + std::to_string(kMostCells),
                std::to_string(entry));
}

/// TensorFlow's and JAX's rule; for stride 1 also PyTorch's.
std::pair<int64_t, int64_t> same_padding(const Extent& input, const Extent& span, int64_t stride,
                                         size_t dim) {
  Extent total = stride == 1 ? span - 1 : (ceildiv(input, stride) - 1) * stride + span - input;
  if (!total.is_constant())
    fail_window("padding",
                "numbers for spatial dim " + std::to_string(dim) + ", whose extents are symbols",
                "\"same\"");
  int64_t cells = std::max<int64_t>(*total.constant(), 0);
  return {cells / 2, cells - cells / 2};
}

} // namespace

SlidingWindow read_window(const ConvolutionWindow& window, const Shape& input,
                          const Shape& filter) {
  size_t rank = input.size();
  std::vector<int64_t> strides = spread(window.strides, rank, "strides");
  std::vector<int64_t> dilation = spread(window.dilation, rank, "dilation");
  PaddingPairs padding(rank, {0, 0});
  auto* pairs = std::get_if<PaddingPairs>(&window.padding);
  if (pairs)
    padding = spread(*pairs, rank, "padding");
  SlidingWindow geometry;
  for (size_t dim = 0; dim < rank; ++dim) {
    require_cells(strides[dim], 1, "strides");
    require_cells(dilation[dim], 1, "dilation");
    if (!pairs && std::get<Padding>(window.padding) == Padding::same)
      padding[dim] =
          same_padding(input[dim], window_span(filter[dim], dilation[dim]), strides[dim], dim);
    require_cells(padding[dim].first, 0, "padding");
    require_cells(padding[dim].second, 0, "padding");
    geometry.strides.push_back(strides[dim]);
    geometry.dilation.push_back(dilation[dim]);
    geometry.low.push_back(padding[dim].first);
    geometry.high.push_back(padding[dim].second);
  }
  return geometry;
}

Shape window_positions(Builder& b, const Shape& input, const Shape& filter,
                       const SlidingWindow& geometry) {
  Shape result;
  for (size_t dim = 0; dim < input.size(); ++dim) {
    Extent padded = input[dim] + geometry.low[dim] + geometry.high[dim];
    Extent span = window_span(filter[dim], geometry.dilation[dim]);
    require_at_most(
        b, span, padded, "shape-mismatch",
        "spatial dim " + std::to_string(dim) + ": expected at least " + span.to_string() +
            " elements with the padding, which the window spans, but got " + padded.to_string());
    result.push_back(max(floordiv(padded - span, geometry.strides[dim]) + 1, 0));
  }
  return result;
}

} // namespace kolam::language
