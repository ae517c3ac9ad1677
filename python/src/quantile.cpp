// Quantiles.
#include "bind.h"
#include "modules.h"

namespace kolam::python {
namespace {

using Quantile = Tensor (*)(const Operand&, const Operand&, const Axis&, QuantileOptions);

/// Numbers in a list keep all their digits, as one number does.
Operand shares_from(nb::handle object) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr()))
    return to_operand(object, "q");
  std::vector<double> numbers;
  for (nb::handle item : nb::borrow<nb::object>(object)) {
    if (!PyFloat_Check(item.ptr()) && !PyLong_Check(item.ptr()))
      return to_operand(object, "q");
    numbers.push_back(FromPython<double>(item, "q").get());
  }
  return Array::of(numbers);
}

void bind_quantiles(nb::module_& module, const char* name, Quantile quantile) {
  bind(module, name, "x, q, axis=None, method='linear', keepdims=False",
       [quantile](const Operand& x, nb::handle q, const Axis& axis, const std::string& method,
                  bool keepdims) {
         Operand shares = shares_from(q);
         return to_python(released([&] { return quantile(x, shares, axis, {method, keepdims}); }));
       });
}

void bind_median(nb::module_& module, const char* name,
                 Tensor (*median)(const Operand&, const Axis&, ReduceOptions)) {
  bind(module, name, "x, axis=None, keepdims=False",
       [median](const Operand& x, const Axis& axis, bool keepdims) {
         return median(x, axis, {keepdims});
       });
}

} // namespace

void bind_quantile(nb::module_& module) {
  bind_median(module, "median", &median);
  bind_median(module, "nanmedian", &nanmedian);
  bind_quantiles(module, "nanpercentile", &nanpercentile);
  bind_quantiles(module, "nanquantile", &nanquantile);
  bind_quantiles(module, "percentile", &percentile);
  bind_quantiles(module, "quantile", &quantile);
}

} // namespace kolam::python
