// Collectives of vmap, rules for many instances, checks and their errors, whose bodies are
// Python's; kolam/_vmap.py, _rules.py and _checkify.py take pytrees apart and put them back.
#include "leaves.h"
#include "modules.h"

#include "kolam/frontend/array/check.h"
#include "kolam/frontend/array/collectives.h"
#include "kolam/frontend/array/custom_vmap.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace kolam::python {
namespace {

/// What the codes of an error mean.
struct Table {
  ErrorValue error;
  ErrorValue of(Tensor state) const { return ErrorValue(std::move(state), error.table()); }
};

nb::object run_collective(const std::string& function, nb::handle x,
                          const std::vector<std::string>& names) {
  UserCall scope(function);
  const Operand operand = to_operand(x, "x");
  if (function == "psum")
    return to_python(psum(operand, names));
  if (function == "pmean")
    return to_python(pmean(operand, names));
  return to_python(function == "pmin" ? pmin(operand, names) : pmax(operand, names));
}

nb::object run_axis_index(const std::string& name) {
  UserCall scope("axis_index");
  return to_python(axis_index(name));
}

nb::object run_axis_size(const std::vector<std::string>& names) {
  UserCall scope("axis_size");
  return to_python(axis_size(names));
}

/// `rule(axis_size, in_batched, arguments)` gives (leaves, out_batched).
nb::list run_custom_vmap(nb::handle identity, nb::handle arguments, nb::callable body,
                         nb::callable rule) {
  UserCall scope("custom_vmap");
  auto batch = [rule](const Extent& size, const std::vector<bool>& in_batched,
                      const Leaves& leaves) {
    nb::list flags;
    for (bool is_batched : in_batched)
      flags.append(is_batched);
    nb::object given = rule(to_python(size), flags, objects_from(leaves));
    kolam::detail::RuledLeaves ruled{leaves_from(given[0], "result of the rule"), {}};
    for (nb::handle flag : nb::borrow<nb::object>(given[1]))
      ruled.is_batched.push_back(nb::cast<bool>(flag));
    return ruled;
  };
  return objects_from(
      kolam::detail::call_with_batch_rule(identity.ptr(), leaves_from(arguments, "args"),
                                          function_of(body), batch, {"custom_vmap", {}}));
}

void run_check(nb::handle condition, const std::string& message, nb::handle values) {
  UserCall scope("check");
  check(to_operand(condition, "pred"), message,
        Operands(FromPython<std::vector<Operand>>(values, "values").get()));
}

/// (results, the error's tensor, its table)
nb::tuple run_checkify(nb::callable body, nb::handle arguments,
                       const std::vector<std::string>& kinds) {
  UserCall scope("checkify");
  Leaves like;
  const Leaves given = leaves_from(arguments, "args");
  kolam::detail::CheckedLeaves made = kolam::detail::checkify(
      given,
      [&](Leaves leaves) {
        for (size_t number = 0; number < leaves.size(); ++number)
          if (int64_t depth = given[number].list_depth())
            leaves[number] = leaves[number].of_list(depth);
        like = leaves_from(body(objects_from(leaves)), "result of f");
        return like;
      },
      ErrorKinds(kinds), Operand::Here::current());
  return nb::make_tuple(results_from(made.results, like), to_python(made.error.state()),
                        Table{ErrorValue(Tensor(), made.error.table())});
}

} // namespace

void bind_transformed(nb::module_& module) {
  module.def("_collective", &run_collective);
  module.def("_vmap_axis_index", &run_axis_index);
  module.def("_vmap_axis_size", &run_axis_size);
  module.def("_custom_vmap", &run_custom_vmap);
  module.def("_check", &run_check);
  module.def("_checkify", &run_checkify);
  nb::class_<Table>(module, "_CheckTable")
      .def_prop_ro("key", [](const Table& self) { return self.of(Tensor()).table_key(); })
      .def("text", [](const Table& self,
                      nb::handle state) { return self.of(to_array(state, "error")).get(); })
      .def("throw_error", [](const Table& self, nb::handle state) {
        self.of(to_array(state, "error")).throw_error();
      });
}

} // namespace kolam::python
