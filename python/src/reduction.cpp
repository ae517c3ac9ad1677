// Reductions and running sums.
#include "bind.h"
#include "modules.h"

namespace kolam::python {
namespace {

using Reduce = Tensor (*)(const Operand&, const Axis&, ReduceOptions);
using Sum = Tensor (*)(const Operand&, const Axis&, SumOptions);
using Variance = Tensor (*)(const Operand&, const Axis&, VarianceOptions);
using Cumulative = Tensor (*)(const Operand&, CumulativeOptions);

void bind_reduce(nb::module_& module, const char* name, Reduce reduce) {
  bind(module, name, "x, axis=None, keepdims=False",
       [reduce](const Operand& x, const Axis& axis, bool keepdims) {
         return reduce(x, axis, {keepdims});
       });
}

void bind_sum(nb::module_& module, const char* name, Sum sum) {
  bind(module, name, "x, axis=None, dtype=None, keepdims=False",
       [sum](const Operand& x, const Axis& axis, std::optional<DType> dtype, bool keepdims) {
         return sum(x, axis, {keepdims, dtype});
       });
}

void bind_variance(nb::module_& module, const char* name, Variance variance) {
  bind(module, name, "x, axis=None, correction=0.0, keepdims=False",
       [variance](const Operand& x, const Axis& axis, double correction, bool keepdims) {
         return variance(x, axis, {correction, keepdims});
       });
}

void bind_cumulative(nb::module_& module, const char* name, Cumulative cumulative) {
  bind(
      module, name, "x, axis=None, dtype=None, include_initial=False",
      [cumulative](const Operand& x, std::optional<int64_t> axis, std::optional<DType> dtype,
                   bool include_initial) { return cumulative(x, {axis, dtype, include_initial}); });
}

} // namespace

void bind_reduction(nb::module_& module) {
  bind_reduce(module, "all", &all);
  bind_reduce(module, "any", &any);
  bind_reduce(module, "argmax", &argmax);
  bind_reduce(module, "argmin", &argmin);
  bind_reduce(module, "count_nonzero", &count_nonzero);
  bind_reduce(module, "logsumexp", &logsumexp);
  bind_reduce(module, "max", &max);
  bind_reduce(module, "mean", &mean);
  bind_reduce(module, "min", &min);
  bind_sum(module, "prod", &prod);
  bind_sum(module, "sum", &sum);
  bind_variance(module, "std", &std);
  bind_variance(module, "var", &var);
  bind(module, "diff", &diff);
  bind_cumulative(module, "cumulative_prod", &cumulative_prod);
  bind_cumulative(module, "cumulative_sum", &cumulative_sum);
}

} // namespace kolam::python
