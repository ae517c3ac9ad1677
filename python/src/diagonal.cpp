// Diagonals and norms.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

template <> struct FromPython<NormOrder> : Converted<NormOrder> {
  FromPython(nb::handle object, const char* argument) {
    if (nb::isinstance<nb::str>(object))
      value = FromPython<std::string>(object, argument).get();
    else
      value = FromPython<double>(object, argument).get();
  }
};

void bind_diagonal(nb::module_& module) {
  bind(module, "diag", &diag);
  bind(module, "diagonal", &diagonal);
  bind(module, "norm", "x, ord=None, axis=None, keepdims=False",
       [](const Operand& x, const std::optional<NormOrder>& ord, const Axis& axis, bool keepdims) {
         return norm(x, ord, axis, keepdims);
       });
  bind(module, "trace", "x, offset=0, axis1=0, axis2=1, dtype=None",
       [](const Operand& x, int64_t offset, int64_t axis1, int64_t axis2,
          std::optional<DType> dtype) { return trace(x, offset, axis1, axis2, dtype); });
}

} // namespace kolam::python
