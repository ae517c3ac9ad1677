// Derivatives of functions whose bodies are Python's; kolam/_derive.py takes pytrees apart and puts
// them back.
#include "kolam/frontend/array/checkpoint.h"
#include "kolam/frontend/array/memory_size.h"

#include "leaves.h"
#include "modules.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace kolam::python {
namespace {

using kolam::detail::FloatLeaves;
using kolam::detail::LinearFunction;
using kolam::detail::RuleBody;

/// `memory_limit`: bytes, as text.
nb::object run_gradients(const std::string& function, nb::callable body, nb::handle primals,
                         const std::string& memory_limit) {
  UserCall scope(function.c_str());
  std::optional<int64_t> limit;
  if (!memory_limit.empty())
    limit = kolam::detail::bytes_from(memory_limit);
  FloatLeaves arguments(leaves_from(primals, "args"), function);
  Leaves like;
  kolam::detail::Gradients made =
      kolam::detail::gradients(function, arguments.floats(), function_of(body, arguments, like),
                               Operand::Here::current(), limit);
  return nb::make_tuple(results_from(made.results, like),
                        objects_from(arguments.spread(made.gradients)));
}

/// The linear part of a function, and how its arguments and results are made of tensors.
struct Linear {
  LinearFunction function;
  FloatLeaves arguments;
  Leaves like;
};

nb::object run_linearise(const std::string& function, nb::callable body, nb::handle primals) {
  UserCall scope(function.c_str());
  FloatLeaves arguments(leaves_from(primals, "args"), function);
  Leaves like;
  kolam::detail::LinearisedLeaves made = kolam::detail::linearise(
      function, arguments.floats(), function_of(body, arguments, like), Operand::Here::current());
  nb::list results = results_from(made.results, like);
  return nb::make_tuple(results, Linear{made.linear, std::move(arguments), std::move(like)});
}

/// Tangents of results: those of lists have their offsets.
nb::list tangents_from(const Leaves& tangents, const Leaves& results, const Leaves& like) {
  Leaves whole;
  for (size_t number = 0, offsets = 0; number < like.size(); ++number) {
    if (int64_t depth = like[number].list_depth()) {
      offsets = static_cast<size_t>(tangents[number].is_empty() ? 0 : depth - 1);
      whole.push_back(tangents[number].is_empty() ? Tensor() : tangents[number].of_list(depth));
    } else if (offsets > 0) {
      whole.push_back(results[number]);
      --offsets;
    } else {
      whole.push_back(tangents[number]);
    }
  }
  return objects_from(whole);
}

nb::object run_push_forward(nb::callable body, nb::handle primals, nb::handle tangents) {
  UserCall scope("jvp");
  FloatLeaves arguments(leaves_from(primals, "primals"), "jvp");
  Leaves like;
  kolam::detail::Pushed made = kolam::detail::push_forward(
      "jvp", arguments.floats(), arguments.among(leaves_from(tangents, "tangents")),
      function_of(body, arguments, like), Operand::Here::current());
  return nb::make_tuple(results_from(made.results, like),
                        tangents_from(made.tangents, made.results, like));
}

/// `like`: (dtype, shape) of each argument.
nb::list run_transpose_linear(nb::callable body, nb::handle like, nb::handle cotangents) {
  UserCall scope("linear_transpose");
  std::vector<TensorSpec> specs;
  for (nb::handle pair : nb::borrow<nb::object>(like))
    specs.push_back(
        {FromPython<DType>(pair[0], "like").get(), FromPython<Shape>(pair[1], "like").get()});
  return objects_from(kolam::detail::transpose_linear(
      specs, function_of(body), leaves_from(cotangents, "cotangents"), Operand::Here::current()));
}

nb::list run_composite(const std::string& name, nb::handle arguments, size_t floats,
                       nb::callable body, const std::vector<nb::callable>& rules) {
  UserCall scope(name.c_str());
  std::vector<RuleBody> bodies;
  for (const nb::callable& rule : rules)
    bodies.push_back([rule](const Leaves& own, const Leaves& all) {
      return leaves_from(rule(objects_from(own), objects_from(all)), "result of the rule");
    });
  return objects_from(kolam::detail::composite({name, {}}, leaves_from(arguments, "args"), floats,
                                               function_of(body), bodies));
}

nb::list run_checkpointed(const std::string& policy, const std::vector<std::string>& names,
                          nb::handle arguments, size_t floats, nb::callable body) {
  UserCall scope("checkpoint");
  return objects_from(kolam::detail::checkpointed({"checkpoint", {}}, {policy, names},
                                                  leaves_from(arguments, "args"), floats,
                                                  function_of(body)));
}

} // namespace

void bind_derive(nb::module_& module) {
  nb::class_<Linear>(module, "_LinearFunction")
      .def("forward",
           [](const Linear& self, nb::handle tangents) {
             UserCall scope("linearize");
             Leaves given = self.arguments.among(leaves_from(tangents, "tangents"));
             Leaves found = self.function.forward(given, Operand::Here::current());
             return tangents_from(found, self.like, self.like);
           })
      .def("transposed", [](const Linear& self, nb::handle cotangents) {
        UserCall scope("vjp");
        return objects_from(self.arguments.spread(self.function.transposed(
            leaves_from(cotangents, "cotangents"), Operand::Here::current())));
      });
  module.def("_gradients", &run_gradients);
  module.def("_linearise", &run_linearise);
  module.def("_push_forward", &run_push_forward);
  module.def("_transpose_linear", &run_transpose_linear);
  module.def("_composite", &run_composite);
  module.def("_checkpointed", &run_checkpointed);
  module.def("_checkpoint_name", [](nb::handle x, const std::string& name) {
    UserCall scope("checkpoint_name");
    return to_python(checkpoint_name(to_tensor(x, "x"), name));
  });
  module.def("_is_tracing", [] { return kolam::detail::is_tracing(); });
}

} // namespace kolam::python
