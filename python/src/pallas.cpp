// Kernels over blocks; kolam/pallas.py has their names.
#include "bind.h"
#include "index_item.h"
#include "modules.h"

#include <nanobind/stl/string.h>

namespace kolam::python {
namespace {

using pallas::Ref;

/// A Ref as Python holds it.
struct HeldRef {
  Ref ref;
};

nb::object to_object(const Ref& ref) { return nb::cast(HeldRef{ref}); }

nb::list objects_of(const std::vector<Ref>& refs) {
  nb::list objects;
  for (const Ref& ref : refs)
    objects.append(to_object(ref));
  return objects;
}

nb::object valid_extent(const Tensor& own) { return to_python(own); }
nb::object valid_extent(const Extent& own) {
  return own.constant() ? nb::object(nb::int_(*own.constant())) : to_python(Shape{own})[0];
}
template <class T> nb::object valid_extent(const T& own) { return nb::cast(own); }

std::optional<Operand> optional_operand(nb::handle object, const char* argument) {
  if (object.is_none())
    return std::nullopt;
  return to_operand(object, argument);
}

/// An item of the index of a Ref; `ds` is a tuple ("ds", start, size, stride).
pallas::RefIndex ref_index(nb::handle object) {
  if (PyTuple_Check(object.ptr()))
    return pallas::ds(to_operand(object[1], "start"),
                      FromPython<Extent>(nb::object(object[2]), "size").get(),
                      FromPython<int64_t>::convert(nb::object(object[3]), "stride"));
  Index item = index_item(object);
  return std::visit(
      [](const auto& given) -> pallas::RefIndex {
        using T = std::decay_t<decltype(given)>;
        if constexpr (std::is_same_v<T, NewAxis>)
          fail(ErrorKind::index, "bad-index",
               "argument 'index': expected integers, slices, ds, ... and integer arrays, but got "
               "None; reshape the value instead");
        else
          return given;
      },
      item.value());
}

std::vector<TensorSpec> specs_from(nb::handle pairs) {
  std::vector<TensorSpec> specs;
  for (nb::handle pair : nb::borrow<nb::object>(pairs))
    specs.push_back({FromPython<DType>(nb::object(pair[0]), "dtype").get(),
                     FromPython<Shape>(nb::object(pair[1]), "shape").get()});
  return specs;
}

/// (dims or None, map or None, pad, the map's name); a dim is (kind, size, low, high).
pallas::BlockSpec block_spec_from(nb::handle triple) {
  pallas::BlockSpec spec;
  if (nb::object dims = triple[0]; !dims.is_none()) {
    spec.block_shape.emplace();
    for (nb::handle dim : dims)
      spec.block_shape->emplace_back(
          static_cast<pallas::BlockDim::Kind>(nb::cast<int>(nb::object(dim[0]))),
          FromPython<Extent>(nb::object(dim[1]), "block_shape").get(),
          FromPython<int64_t>::convert(nb::object(dim[2]), "padding"),
          FromPython<int64_t>::convert(nb::object(dim[3]), "padding"));
  }
  if (nb::object map = triple[1]; !map.is_none())
    spec.index_map = [map](const std::vector<Tensor>& point, const std::vector<Ref>& prefetched) {
      std::vector<Tensor> numbers;
      for (nb::handle number : nb::object(map(to_list(point), objects_of(prefetched))))
        numbers.push_back(to_tensor(number, "result of index_map"));
      return numbers;
    };
  spec.pad = optional_operand(nb::object(triple[2]), "pad");
  spec.map_name = nb::cast<std::string>(nb::object(triple[3]));
  return spec;
}

std::vector<pallas::BlockSpec> block_specs_from(nb::handle triples) {
  std::vector<pallas::BlockSpec> specs;
  for (nb::handle triple : nb::borrow<nb::object>(triples))
    specs.push_back(block_spec_from(triple));
  return specs;
}

nb::list run_pallas_call(nb::callable kernel, nb::dict options, nb::handle inputs) {
  UserCall scope("pallas_call");
  pallas::Call call;
  call.out_shape = specs_from(options["out_shape"]);
  for (nb::handle extent : nb::object(options["grid"]))
    call.grid.push_back(to_operand(extent, "grid"));
  call.in_specs = block_specs_from(options["in_specs"]);
  call.out_specs = block_specs_from(options["out_specs"]);
  call.scratch_shapes = specs_from(options["scratch_shapes"]);
  call.num_scalar_prefetch = nb::cast<int64_t>(options["num_scalar_prefetch"]);
  auto number = [](nb::object object) {
    return FromPython<int64_t>::convert(object, "input_output_aliases");
  };
  for (nb::handle pair : nb::object(options["input_output_aliases"]))
    call.input_output_aliases[number(pair[0])] = number(pair[1]);
  for (nb::handle name : nb::object(options["grid_names"]))
    call.grid_names.push_back(nb::cast<std::string>(name));
  if (nb::object cost = options["cost_estimate"]; !cost.is_none())
    call.cost_estimate = {FromPython<int64_t>::convert(nb::object(cost[0]), "flops"),
                          FromPython<int64_t>::convert(nb::object(cost[1]), "transcendentals"),
                          FromPython<int64_t>::convert(nb::object(cost[2]), "bytes_accessed")};
  for (nb::handle word : nb::object(options["dimension_semantics"]))
    call.dimension_semantics.push_back(
        FromPython<std::string>::convert(word, "dimension_semantics"));
  call.name = FromPython<std::string>::convert(nb::object(options["name"]), "name");
  for (nb::handle name : nb::object(options["input_names"]))
    call.input_names.push_back(nb::cast<std::string>(name));
  for (nb::handle name : nb::object(options["ref_names"]))
    call.ref_names.push_back(nb::cast<std::string>(name));
  if (nb::object interpret = options["interpret"]; !interpret.is_none())
    call.interpret = {nb::cast<std::string>(nb::object(interpret[0])),
                      FromPython<int64_t>::convert(nb::object(interpret[1]), "random_seed")};
  call.checks = nb::cast<bool>(options["checks"]);
  std::vector<Operand> operands;
  for (nb::handle input : nb::borrow<nb::object>(inputs))
    operands.push_back(to_operand(input, "args"));
  return to_list(pallas::pallas_call(
      [&](const std::vector<Ref>& refs) { kernel(objects_of(refs)); }, call, operands));
}

nb::object update(const std::string& name, const HeldRef& self, nb::handle value,
                  nb::handle compare, nb::handle mask) {
  UserCall scope(name);
  Operand with = to_operand(value, "value");
  auto masked = optional_operand(mask, "mask");
  if (name == "atomic_cas")
    return to_python(pallas::atomic_cas(self.ref, to_operand(compare, "cmp"), with, masked));
  using Update = Tensor (*)(const Ref&, const Operand&, const std::optional<Operand>&);
  static const std::map<std::string, Update> updates = {{"swap", &pallas::swap},
                                                        {"atomic_add", &pallas::atomic_add},
                                                        {"atomic_max", &pallas::atomic_max},
                                                        {"atomic_min", &pallas::atomic_min},
                                                        {"atomic_and", &pallas::atomic_and},
                                                        {"atomic_or", &pallas::atomic_or},
                                                        {"atomic_xor", &pallas::atomic_xor},
                                                        {"atomic_xchg", &pallas::atomic_xchg}};
  return to_python(updates.at(name)(self.ref, with, masked));
}

} // namespace

void bind_pallas(nb::module_& module) {
  nb::class_<HeldRef>(module, "_Ref", nb::type_slots(made_by_kolam))
      .def_prop_ro("dtype", [](const HeldRef& self) { return dtype_object(self.ref.dtype()); })
      .def_prop_ro("shape", [](const HeldRef& self) { return to_python(self.ref.shape()); })
      .def("valid_shape",
           [](const HeldRef& self) {
             UserCall scope("valid_shape");
             nb::list extents;
             for (const Operand& extent : self.ref.valid_shape())
               extents.append(
                   std::visit([](const auto& own) { return valid_extent(own); }, extent.value()));
             return nb::tuple(extents);
           })
      .def("at",
           [](const HeldRef& self, nb::list items) {
             UserCall scope("at");
             std::vector<pallas::RefIndex> index;
             for (nb::handle item : items)
               index.push_back(ref_index(item));
             return HeldRef{self.ref.at(index)};
           })
      .def("reshape",
           [](const HeldRef& self, nb::object shape) {
             UserCall scope("reshape");
             return HeldRef{self.ref.reshape(FromPython<Shape>(shape, "shape").get())};
           })
      .def("transpose",
           [](const HeldRef& self, nb::list axes) {
             UserCall scope("transpose");
             std::vector<int64_t> order;
             for (nb::handle axis : axes)
               order.push_back(FromPython<int64_t>::convert(nb::borrow<nb::object>(axis), "axes"));
             return HeldRef{self.ref.transpose(order)};
           })
      .def("bitcast",
           [](const HeldRef& self, nb::object dtype) {
             UserCall scope("bitcast");
             return HeldRef{self.ref.bitcast(FromPython<DType>(dtype, "dtype").get())};
           })
      .def(
          "load",
          [](const HeldRef& self, nb::handle mask, nb::handle other) {
            UserCall scope("load");
            return to_python(pallas::load(self.ref, optional_operand(mask, "mask"),
                                          optional_operand(other, "other")));
          },
          nb::arg().none(), nb::arg().none())
      .def(
          "store",
          [](const HeldRef& self, nb::handle value, nb::handle mask) {
            UserCall scope("store");
            pallas::store(self.ref, to_operand(value, "value"), optional_operand(mask, "mask"));
          },
          nb::arg().none(), nb::arg().none());
  module.def("_ref_update", &update, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(),
             nb::arg().none());
  module.def("_select_ref", [](nb::handle index, nb::list refs) {
    UserCall scope("select_ref");
    std::vector<Ref> all;
    for (nb::handle ref : refs)
      all.push_back(nb::cast<HeldRef>(ref).ref);
    return HeldRef{pallas::select_ref(to_operand(index, "idx"), all)};
  });
  module.def("_pallas_call", &run_pallas_call);
  module.def("_program_id", [](nb::object axis) {
    UserCall scope("program_id");
    return to_python(pallas::program_id(FromPython<int64_t>::convert(axis, "axis")));
  });
  module.def("_num_programs", [](nb::object axis) {
    UserCall scope("num_programs");
    return to_python(pallas::num_programs(FromPython<int64_t>::convert(axis, "axis")));
  });
  module.def("_axis_index", [](const std::string& name) {
    UserCall scope("axis_index");
    return to_python(pallas::axis_index(name));
  });
  module.def("_axis_size", [](const std::string& name) {
    UserCall scope("axis_size");
    return to_python(pallas::axis_size(name));
  });
  module.def("_estimate_cost", [](const Program& program) {
    UserCall scope("estimate_cost");
    pallas::CostEstimate cost = pallas::estimate_cost(program);
    return nb::make_tuple(cost.flops, cost.transcendentals, cost.bytes_accessed);
  });
  module.def(
      "_debug_check",
      [](nb::handle condition, nb::handle message) {
        UserCall scope("debug_check");
        pallas::debug_check(to_operand(condition, "condition"),
                            FromPython<std::string>::convert(message, "message"));
      },
      nb::arg().none(), nb::arg().none());
  module.def(
      "_when",
      [](nb::handle condition, nb::callable body) {
        UserCall scope("when");
        pallas::when(to_operand(condition, "condition"), [&] { body(); });
      },
      nb::arg().none(), nb::arg());
  module.def("_scoped_refs", [](nb::object specs) {
    UserCall scope("run_scoped");
    nb::list refs;
    pallas::run_scoped(specs_from(specs),
                       [&](const std::vector<Ref>& given) { refs = objects_of(given); });
    return refs;
  });
}

} // namespace kolam::python
