// Linear units.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

void bind_linear_unit(nb::module_& module) {
  bind(module, "celu", &celu);
  bind(module, "elu", &elu);
  bind(module, "glu", &glu);
  bind(module, "hard_shrink", &hard_shrink);
  bind(module, "hard_sigmoid", &hard_sigmoid);
  bind(module, "hard_silu", &hard_silu);
  bind(module, "hard_swish", &hard_swish);
  bind(module, "hard_tanh", &hard_tanh);
  bind(module, "leaky_relu", &leaky_relu);
  bind(module, "log_sigmoid", &log_sigmoid);
  bind(module, "mish", &mish);
  bind(module, "prelu", &prelu);
  bind(module, "relu6", &relu6);
  bind(module, "selu", &selu);
  bind(module, "soft_shrink", &soft_shrink);
  bind(module, "soft_sign", &soft_sign);
  bind(module, "squareplus", &squareplus);
  bind(module, "tanh_shrink", &tanh_shrink);
  bind(module, "threshold", &threshold);
}

} // namespace kolam::python
