// Activation functions.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

template <> struct FromPython<Approximate> : Converted<Approximate> {
  FromPython(nb::handle object, const char* argument) {
    auto name = FromPython<std::string>(object, argument).get();
    if (name != "none" && name != "tanh")
      fail_argument(ErrorKind::value, "unknown-mode", argument, "'none' or 'tanh'", object);
    value = name == "tanh" ? Approximate::tanh : Approximate::none;
  }
};

void bind_activation(nb::module_& module) {
  bind(module, "clip", &clip);
  bind(module, "gelu", &gelu);
  bind(module, "relu", &relu);
  bind(module, "sigmoid", &sigmoid);
  bind(module, "silu", &silu);
  bind(module, "softplus", &softplus);
}

} // namespace kolam::python
