// zip_map_reduce, monoids and what bodies may use; kolam/pattern.py takes pytrees apart and puts
// them back.
#include "bind.h"
#include "modules.h"

#include <nanobind/stl/string.h>

namespace kolam::python {
namespace {

using List = std::vector<Tensor>;
using OnList = std::function<List(List)>;

nb::object function_or_null(nb::handle parts, const char* key) {
  nb::object function = parts[key];
  return function.is_none() ? nb::object() : function;
}

/// A function of several lists of tensors, called with Python lists.
template <class... Lists> auto on_lists(nb::object function) {
  return [function](const Lists&... lists) -> List {
    return FromPython<List>(function(nb::cast<nb::object>(to_list(lists))...), "result").get();
  };
}

Monoid monoid_from(nb::handle parts) {
  Monoid monoid;
  monoid.name = nb::cast<std::string>(parts["name"]);
  monoid.zero = FromPython<List>(parts["zero"], "zero").get();
  monoid.merge = on_lists<List, List>(nb::borrow(parts["merge"]));
  if (nb::object wrap = function_or_null(parts, "wrap"); wrap.is_valid())
    monoid.wrap = on_lists<List>(wrap);
  if (nb::object unwrap = function_or_null(parts, "unwrap"); unwrap.is_valid())
    monoid.unwrap = on_lists<List>(unwrap);
  if (nb::object wrap_all = function_or_null(parts, "wrap_all"); wrap_all.is_valid())
    monoid.wrap_all = on_lists<List>(wrap_all);
  monoid.commutative = nb::cast<bool>(parts["commutative"]);
  monoid.exact = nb::cast<bool>(parts["exact"]);
  return monoid;
}

/// `reduction` is a name, None, or a dict of a monoid's parts.
nb::list run_pattern(const std::string& function, nb::object body, nb::handle inputs,
                     nb::handle reduction, nb::handle axis, bool keepdims) {
  UserCall scope(function);
  auto operands = FromPython<std::vector<Operand>>(inputs, "inputs").get();
  PatternOptions options;
  options.axis = FromPython<Axis>(axis, "axis").get();
  options.keepdims = keepdims;
  PatternBody traced = on_lists<List>(body);
  if (nb::isinstance<nb::dict>(reduction))
    return to_list(zip_map_reduce_list(traced, operands, monoid_from(reduction), options));
  if (!reduction.is_none())
    options.reduce = FromPython<std::string>(reduction, "reduce").get();
  return to_list(zip_map_reduce_list(traced, operands, options));
}

nb::list run_reduce(nb::handle inputs, nb::handle monoid, nb::handle axis, bool keepdims) {
  UserCall scope("reduce");
  auto operands = FromPython<std::vector<Operand>>(inputs, "inputs").get();
  return to_list(kolam::reduce(std::span<const Operand>(operands), monoid_from(monoid),
                               FromPython<Axis>(axis, "axis").get(), keepdims));
}

void run_laws(nb::handle monoid, nb::handle elements, int trials, unsigned seed, double tolerance) {
  UserCall scope("check_monoid_laws");
  LawOptions options{FromPython<std::vector<DType>>(elements, "elements").get(), trials, seed,
                     tolerance};
  check_monoid_laws(monoid_from(monoid), options);
}

} // namespace

void bind_pattern(nb::module_& module) {
  module.def("_zip_map_reduce", &run_pattern, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
             nb::arg().none(), nb::arg());
  module.def("_reduce", &run_reduce, nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  module.def("_check_monoid_laws", &run_laws, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(),
             nb::arg());
  bind(module, "imm", &imm);
  bind(module, "iter_idx", &iter_idx);
  bind(module, "select", &select);
}

} // namespace kolam::python
