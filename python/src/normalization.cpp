// Functions that normalise along axes, losses and attention.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

void bind_normalization(nb::module_& module) {
  bind(module, "attention", "q, k, v, mask=None, causal=False, scale=None",
       [](const Operand& q, const Operand& k, const Operand& v, const std::optional<Operand>& mask,
          bool causal,
          std::optional<double> scale) { return attention(q, k, v, {mask, causal, scale}); });
  bind(module, "cross_entropy", &cross_entropy);
  bind(module, "layer_norm", "x, weight=None, bias=None, axis=-1, epsilon=1e-5",
       [](const Operand& x, const std::optional<Operand>& weight,
          const std::optional<Operand>& bias, const Axis& axis,
          double epsilon) { return layer_norm(x, weight, bias, {axis, epsilon}); });
  bind(module, "log_softmax", &log_softmax);
  bind(module, "rms_norm", "x, weight=None, axis=-1, epsilon=1e-5",
       [](const Operand& x, const std::optional<Operand>& weight, const Axis& axis,
          double epsilon) { return rms_norm(x, weight, {axis, epsilon}); });
  bind(module, "softmax", &softmax);
}

} // namespace kolam::python
