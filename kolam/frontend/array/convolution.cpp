// Calls convolutions.
#include "kolam/frontend/array/convolution.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/conv_transpose.h"
#include "kolam/language/convolution.h"

namespace kolam {
namespace {

/// `spatial` is the demanded number of spatial dims; 0 takes any.
Tensor convolve(std::string_view function, int64_t spatial, const Operand& x, const Operand& w,
                const ConvolutionWindow& window, std::optional<DType> dtype) {
  return apply_one(function, {x, w}, [&](language::Builder& b, const language::Values& v) {
    if (spatial != 0 && ir::rank_of(v[0]) != spatial + 2)
      language::fail_argument(ErrorKind::value, "rank-mismatch", "x",
                              "rank " + std::to_string(spatial + 2), language::describe(v[0]));
    return language::convolution(b, v[0], v[1], window, dtype);
  });
}

} // namespace

Tensor conv(const Operand& x, const Operand& w, const ConvolutionWindow& window,
            std::optional<DType> dtype) {
  return convolve("conv", 0, x, w, window, dtype);
}
Tensor conv1d(const Operand& x, const Operand& w, const ConvolutionWindow& window,
              std::optional<DType> dtype) {
  return convolve("conv1d", 1, x, w, window, dtype);
}
Tensor conv2d(const Operand& x, const Operand& w, const ConvolutionWindow& window,
              std::optional<DType> dtype) {
  return convolve("conv2d", 2, x, w, window, dtype);
}
Tensor conv3d(const Operand& x, const Operand& w, const ConvolutionWindow& window,
              std::optional<DType> dtype) {
  return convolve("conv3d", 3, x, w, window, dtype);
}

Tensor conv_transpose(const Operand& x, const Operand& w, const ConvolutionWindow& window,
                      const std::vector<int64_t>& output_padding, std::optional<DType> dtype) {
  return apply_one("conv_transpose", {x, w}, [&](language::Builder& b, const language::Values& v) {
    return language::conv_transpose(b, v[0], v[1], window, output_padding, dtype);
  });
}

} // namespace kolam
