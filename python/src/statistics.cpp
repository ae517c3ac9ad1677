// Weighted means, ranges and covariances.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

void bind_statistics(nb::module_& module) {
  bind(module, "average", "x, axis=None, weights=None, keepdims=False",
       [](const Operand& x, const Axis& axis, const std::optional<Operand>& weights,
          bool keepdims) { return average(x, axis, weights, {keepdims}); });
  bind(module, "corrcoef", &corrcoef);
  bind(module, "cov", &cov);
  bind(module, "ptp", "x, axis=None, keepdims=False",
       [](const Operand& x, const Axis& axis, bool keepdims) { return ptp(x, axis, {keepdims}); });
}

} // namespace kolam::python
