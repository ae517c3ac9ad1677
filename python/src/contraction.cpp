// Products of tensors.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

void bind_contraction(nb::module_& module) {
  bind(module, "matmul", &matmul);
}

} // namespace kolam::python
