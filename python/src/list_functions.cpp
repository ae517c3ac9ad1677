// The functions on lists, over lists in hand; kolam/fractal/ takes tuples apart and puts them back.
#include "bind.h"
#include "lists.h"
#include "modules.h"
#include "registered.h"
#include "run_program.h"

#include "kolam/frontend/fractal/functions.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace kolam::python {
namespace {

using fractal::Data;
using fractal::detail::Body;

Body body_from(nb::callable function) {
  return [function](const Data& arguments) {
    return data_from(function(to_objects(arguments)), "result of f");
  };
}

nb::list map(const std::string& name, nb::handle lists, nb::callable body) {
  UserCall scope(name);
  return to_objects(fractal::detail::map(lists_from(lists), body_from(body)));
}

nb::tuple scan(const std::string& name, nb::handle inits, nb::handle lists, nb::callable body,
               bool reverse, bool associative, bool after_first) {
  UserCall scope(name);
  std::vector<bool> numbers;
  for (nb::handle init : nb::borrow<nb::object>(inits))
    numbers.push_back(PyLong_CheckExact(init.ptr()) || PyFloat_CheckExact(init.ptr()));
  fractal::detail::ScanResult result =
      fractal::detail::scan(data_from(inits, "initializer"), lists_from(lists),
                            {name, reverse, associative, after_first, numbers}, body_from(body));
  return nb::make_tuple(to_objects(result.last), to_objects(result.all));
}

nb::list reduce(nb::handle inits, nb::handle lists, nb::callable body) {
  UserCall scope("reduce");
  return to_objects(
      fractal::detail::reduce(data_from(inits, "initializer"), lists_from(lists), body_from(body)));
}

nb::list filter(const std::string& name, nb::handle lists, nb::handle mask) {
  UserCall scope(name);
  return to_objects(fractal::detail::filter(lists_from(lists), list_from(mask, "mask")));
}

nb::object index(nb::handle list, nb::handle i, const std::string& function) {
  UserCall scope(function);
  return to_object(fractal::detail::list_index(list_from(list, "xs"), to_tensor(i, "i")));
}

nb::object end(nb::handle list, int64_t i) {
  UserCall scope("scan");
  return to_object(fractal::detail::list_end(list_from(list, "xs"), i));
}

nb::object length(nb::handle list) {
  UserCall scope("len");
  return to_python(fractal::detail::list_length(list_from(list, "xs")));
}

std::optional<int64_t> known_length(nb::handle list) {
  UserCall scope("len");
  return fractal::detail::known_length(list_from(list, "xs"));
}

nb::object flatten(nb::handle list) {
  UserCall scope("flatten");
  return to_object(fractal::detail::list_flatten(list_from(list, "xs")));
}

nb::list unpack(nb::handle list) {
  UserCall scope("unpack");
  return to_list(fractal::detail::unpack(list_from(list, "xs")));
}

nb::object pack(nb::handle leaves, nb::handle offsets) {
  return located("pack", [&] {
    Tensor values = to_tensor(leaves, "values");
    std::vector<Tensor> levels;
    for (nb::handle level : nb::borrow<nb::object>(offsets))
      levels.push_back(to_tensor(level, "offsets"));
    if (!values.is_traced() && std::ranges::none_of(levels, &Tensor::is_traced))
      return nb::cast(runtime::List::from_offsets(values.array(), {levels.begin(), levels.end()}));
    UserCall scope("pack");
    return to_object(fractal::detail::pack(values, levels));
  });
}

void require(nb::handle condition, const std::string& slug, const std::string& message,
             const std::string& name) {
  UserCall scope(name);
  fractal::detail::require(to_tensor(condition, "condition"), slug, message, name);
}

void require_lengths_of(nb::handle like, nb::handle list, const std::string& slug,
                        const std::string& what, const std::string& function) {
  UserCall scope(function);
  fractal::detail::require_lengths_of(list_from(like, "like"), list_from(list, "list"), slug, what,
                                      function);
}

nb::object refuse(const TracedList& traced, const char* function) {
  UserCall scope(function);
  traced.list.host(); // throws
  return nb::none();
}

} // namespace

void bind_list_functions(nb::module_& module) {
  nb::class_<TracedList> type(module, "TracedList", nb::type_slots(made_by_kolam),
                              nb::is_weak_referenceable(),
                              "A list of a program being traced; its lengths are not known.");
  type.def_prop_ro("depth", [](const TracedList& traced) { return traced.list.depth(); });
  type.def_prop_ro("dtype",
                   [](const TracedList& traced) { return dtype_object(traced.list.dtype()); });
  type.def_prop_ro("leaf_shape", [](const TracedList& traced) {
    nb::list extents;
    for (const Extent& extent : traced.list.leaf_shape())
      extents.append(to_python(extent));
    return nb::tuple(extents);
  });
  type.def_prop_ro("type", [](const TracedList& traced) { return traced.list.type_text(); });
  type.def("is_same_type", [](const TracedList& traced, nb::handle other) {
    return is_list(other) && list_from(other, "other").type_text() == traced.list.type_text();
  });
  for (const char* method : {"leaves", "offsets", "lengths", "leaf", "sublist"})
    type.def(method,
             [method](const TracedList& traced, nb::args) { return refuse(traced, method); });
  type.def("__len__", [](const TracedList& traced) {
    refuse(traced, "len");
    return size_t{0};
  });
  type.def("__repr__",
           [](const TracedList& traced) { return "TracedList(" + traced.list.type_text() + ")"; });
  module.def("_list_map", &map);
  module.def("_list_scan", &scan);
  module.def("_list_reduce", &reduce);
  module.def("_list_filter", &filter);
  module.def("_list_index", &index, nb::arg(), nb::arg(), nb::arg("function") = "index");
  module.def("_list_end", &end);
  module.def("_list_length", &length);
  module.def("_list_known_length", &known_length);
  module.def("_list_flatten", &flatten);
  module.def("_list_unpack", &unpack);
  module.def("_list_pack", &pack);
  module.def("_list_require", &require);
  module.def("_list_require_lengths_of", &require_lengths_of);
}

} // namespace kolam::python
