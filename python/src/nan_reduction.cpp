// Reductions that leave NaN out.
#include "bind.h"
#include "modules.h"

namespace kolam::python {
namespace {

void bind_reduce(nb::module_& module, const char* name,
                 Tensor (*reduce)(const Operand&, const Axis&, ReduceOptions)) {
  bind(module, name, "x, axis=None, keepdims=False",
       [reduce](const Operand& x, const Axis& axis, bool keepdims) {
         return reduce(x, axis, {keepdims});
       });
}

void bind_sum(nb::module_& module, const char* name,
              Tensor (*sum)(const Operand&, const Axis&, SumOptions)) {
  bind(module, name, "x, axis=None, dtype=None, keepdims=False",
       [sum](const Operand& x, const Axis& axis, std::optional<DType> dtype, bool keepdims) {
         return sum(x, axis, {keepdims, dtype});
       });
}

void bind_variance(nb::module_& module, const char* name,
                   Tensor (*variance)(const Operand&, const Axis&, VarianceOptions)) {
  bind(module, name, "x, axis=None, correction=0.0, keepdims=False",
       [variance](const Operand& x, const Axis& axis, double correction, bool keepdims) {
         return variance(x, axis, {correction, keepdims});
       });
}

void bind_cumulative(nb::module_& module, const char* name,
                     Tensor (*cumulative)(const Operand&, CumulativeOptions)) {
  bind(
      module, name, "x, axis=None, dtype=None, include_initial=False",
      [cumulative](const Operand& x, std::optional<int64_t> axis, std::optional<DType> dtype,
                   bool include_initial) { return cumulative(x, {axis, dtype, include_initial}); });
}

} // namespace

void bind_nan_reduction(nb::module_& module) {
  bind_reduce(module, "nanargmax", &nanargmax);
  bind_reduce(module, "nanargmin", &nanargmin);
  bind_reduce(module, "nanmax", &nanmax);
  bind_reduce(module, "nanmean", &nanmean);
  bind_reduce(module, "nanmin", &nanmin);
  bind_sum(module, "nanprod", &nanprod);
  bind_sum(module, "nansum", &nansum);
  bind_variance(module, "nanstd", &nanstd);
  bind_variance(module, "nanvar", &nanvar);
  bind_cumulative(module, "nancumprod", &nancumprod);
  bind_cumulative(module, "nancumsum", &nancumsum);
  bind(module, "nan_to_num", &nan_to_num);
}

} // namespace kolam::python
