// Elementwise formulas.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

void bind_special(nb::module_& module) {
  bind(module, "bitwise_count", &bitwise_count);
  bind(module, "deg2rad", &deg2rad);
  bind(module, "digamma", &digamma);
  bind(module, "heaviside", &heaviside);
  bind(module, "logaddexp2", &logaddexp2);
  bind(module, "logit", &logit);
  bind(module, "rad2deg", &rad2deg);
  bind(module, "sinc", &sinc);
  bind(module, "xlog1py", &xlog1py);
  bind(module, "xlogy", &xlogy);
}

} // namespace kolam::python
