// Products of tensors, and convolutions.
#include "bind.h"
#include "modules.h"
#include "window_padding.h"

namespace kolam::python {
namespace {

/// The summed dims of tensordot: so many, or by list.
struct SummedDims {
  int64_t count = 0;
  std::vector<std::vector<int64_t>> lists;
};

} // namespace

template <> struct FromPython<SummedDims> : Converted<SummedDims> {
  FromPython(nb::handle object, const char* argument) {
    if (auto count = try_integer(object, argument)) {
      value.count = *count;
      return;
    }
    value.lists = FromPython<std::vector<std::vector<int64_t>>>(object, argument).get();
    if (value.lists.size() != 2)
      fail_argument(ErrorKind::type, "argument-type", argument, "an integer or a pair of lists",
                    object);
  }
};

namespace {

using Convolve = Tensor (*)(const Operand&, const Operand&, const ConvolutionWindow&,
                            std::optional<DType>);

void bind_convolution(nb::module_& module, const char* name, Convolve convolve) {
  bind(module, name, "x, w, strides=1, padding='valid', dilation=1, groups=1, dtype=None",
       [convolve](const Operand& x, const Operand& w, const std::vector<int64_t>& strides,
                  const WindowPadding& padding, const std::vector<int64_t>& dilation,
                  int64_t groups, std::optional<DType> dtype) {
         return convolve(x, w, {strides, padding, dilation, groups}, dtype);
       });
}

} // namespace

void bind_contraction(nb::module_& module) {
  using Where = std::optional<Operand>;
  using Word = std::optional<std::string>;
  auto terms = [](const Where& where, const Word& accumulate) {
    return Terms{where, accumulate.value_or("")};
  };
  bind(module, "matmul", "x, y, dtype=None, where=None, accumulate=None",
       [terms](const Operand& x, const Operand& y, std::optional<DType> dtype, const Where& where,
               const Word& accumulate) { return matmul(x, y, dtype, terms(where, accumulate)); });
  bind(module, "tensordot", "x, y, axes=2, dtype=None, where=None, accumulate=None",
       [terms](const Operand& x, const Operand& y, const SummedDims& axes,
               std::optional<DType> dtype, const Where& where, const Word& accumulate) {
         Terms own = terms(where, accumulate);
         return axes.lists.empty() ? tensordot(x, y, axes.count, dtype, own)
                                   : tensordot(x, y, axes.lists[0], axes.lists[1], dtype, own);
       });
  bind(module, "einsum", "subscripts, *operands, dtype=None, where=None, accumulate=None",
       [terms](const std::string& subscripts, const std::vector<Operand>& operands,
               std::optional<DType> dtype, const Where& where, const Word& accumulate) {
         return einsum(subscripts, operands, dtype, terms(where, accumulate));
       });
  bind(module, "vecdot", "x, y, axis=-1, dtype=None, where=None, accumulate=None",
       [terms](const Operand& x, const Operand& y, int64_t axis, std::optional<DType> dtype,
               const Where& where, const Word& accumulate) {
         return vecdot(x, y, axis, dtype, terms(where, accumulate));
       });
  bind(module, "outer", &outer);
  bind(module, "linear", "x, weight, bias=None",
       [](const Operand& x, const Operand& weight, const std::optional<Operand>& bias) {
         return bias ? linear(x, weight, *bias) : linear(x, weight);
       });
  bind_convolution(module, "conv", &conv);
  bind_convolution(module, "conv1d", &conv1d);
  bind_convolution(module, "conv2d", &conv2d);
  bind_convolution(module, "conv3d", &conv3d);
  bind(module, "conv_transpose",
       "x, w, strides=1, padding='valid', output_padding=0, groups=1, dilation=1, dtype=None",
       [](const Operand& x, const Operand& w, const std::vector<int64_t>& strides,
          const WindowPadding& padding, const std::vector<int64_t>& output_padding, int64_t groups,
          const std::vector<int64_t>& dilation, std::optional<DType> dtype) {
         return conv_transpose(x, w, {strides, padding, dilation, groups}, output_padding, dtype);
       });
}

} // namespace kolam::python
