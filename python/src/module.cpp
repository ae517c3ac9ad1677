// The Python module kolam._kolam: binds the public headers.
#include "errors.h"
#include "modules.h"
#include "registered.h"

NB_MODULE(_kolam, module) {
  using namespace kolam::python;
  module.attr("__version__") = KOLAM_VERSION;
  bind_registered(module);
  bind_errors(module);
  bind_array(module);
  bind_tensor(module);
  bind_program(module);
  bind_elementwise(module);
  bind_contraction(module);
}
