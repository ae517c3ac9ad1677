/// How the window of a convolution moves over its input.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace kolam {

/// Elements of zeros before and after the input, by rule.
enum class Padding : uint8_t {
  valid, ///< none
  same   ///< as many as give ceil(extent / stride) results; of an odd number the larger half after
};
/// Elements before and after, by number.
using PaddingPairs = std::vector<std::pair<int64_t, int64_t>>;

/// Lists have one entry for each spatial dim, or one for all.
struct ConvolutionWindow {
  std::vector<int64_t> strides = {1};
  std::variant<Padding, PaddingPairs> padding = Padding::valid;
  std::vector<int64_t> dilation = {1};
  int64_t groups = 1;
};

} // namespace kolam
