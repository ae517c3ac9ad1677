// Pooling.
#include "bind.h"
#include "modules.h"
#include "window_padding.h"

namespace kolam::python {
namespace {

/// "max", or a function of that name.
std::string function_name(nb::handle function) {
  if (PyCallable_Check(function.ptr()) && nb::hasattr(function, "__name__"))
    function = function.attr("__name__");
  return FromPython<std::string>(function, "function").get();
}

} // namespace

void bind_pooling(nb::module_& module) {
  using Lengths = std::vector<int64_t>;
  bind(module, "reduce_window",
       "x, window, function='max', strides=None, padding='valid', dilation=1",
       [](const Operand& x, const Lengths& window, nb::handle function, const Lengths& strides,
          const WindowPadding& padding, const Lengths& dilation) {
         std::string name = function_name(function);
         return to_python(released(
             [&] { return reduce_window(x, window, name, {strides, padding, dilation}); }));
       });
  bind(module, "max_pool", "x, window, strides=None, padding='valid', dilation=1",
       [](const Operand& x, const Lengths& window, const Lengths& strides,
          const WindowPadding& padding,
          const Lengths& dilation) { return max_pool(x, window, {strides, padding, dilation}); });
  bind(module, "avg_pool",
       "x, window, strides=None, padding='valid', dilation=1, count_include_pad=True",
       [](const Operand& x, const Lengths& window, const Lengths& strides,
          const WindowPadding& padding, const Lengths& dilation, bool count_include_pad) {
         return avg_pool(x, window, {strides, padding, dilation}, count_include_pad);
       });
}

} // namespace kolam::python
