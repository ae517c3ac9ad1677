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
using kolam::detail::Names;
using kolam::detail::RuleBody;

/// `memory_limit`: bytes, as text.
nb::object run_gradients(const std::string& function, nb::callable body, nb::handle primals,
                         const std::string& memory_limit) {
  UserCall scope(function.c_str());
  std::optional<int64_t> limit;
  if (!memory_limit.empty())
    limit = kolam::detail::bytes_from(memory_limit);
  FloatLeaves arguments({leaves_from(primals, "args"), ""}, {function, {}});
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

nb::object run_linearise(const std::string& function, nb::callable body, nb::handle primals,
                         bool outlives) {
  UserCall scope(function.c_str());
  FloatLeaves arguments({leaves_from(primals, "args"), ""}, {function, {}});
  Leaves like;
  kolam::detail::LinearisedLeaves made = kolam::detail::linearise(
      function, arguments.floats(), function_of(body, arguments, like), Operand::Here::current(),
      outlives ? kolam::detail::Residuals::outliving : kolam::detail::Residuals::of_trace);
  nb::list results = results_from(made.results, like);
  return nb::make_tuple(results, Linear{made.linear, std::move(arguments), std::move(like)});
}

/// The same linear part where residuals, arguments and results are these arrays.
Linear linear_at(const Linear& linear, nb::handle residuals, nb::handle primals,
                 nb::handle results) {
  FloatLeaves arguments({leaves_from(primals, "args"), ""}, {"vjp", {}});
  return {linear.function.at(leaves_from(residuals, "residuals")), std::move(arguments),
          leaves_from(results, "results")};
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

/// The tangents of the floats among arguments, one object for each of these.
Leaves tangents_of(nb::handle tangents, const FloatLeaves& arguments) {
  return arguments.among(leaves_beside(tangents, "tangents", arguments.arguments().leaves));
}

nb::object run_push_forward(nb::callable body, nb::handle primals, nb::handle tangents,
                            const Names& names) {
  UserCall scope("jvp");
  FloatLeaves arguments({leaves_from(primals, "primals"), ""}, {"jvp", {}});
  Leaves like;
  kolam::detail::Pushed made = kolam::detail::push_forward(
      "jvp", arguments.floats(), tangents_of(tangents, arguments),
      function_of(body, arguments, like), Operand::Here::current(), names);
  return nb::make_tuple(results_from(made.results, like),
                        tangents_from(made.tangents, made.results, like));
}

/// The names of objects for each of the leaves that they are made of.
Names names_of_leaves(const Names& names, const Leaves& like) {
  Names all;
  size_t next = 0;
  for (const std::string& name : names) {
    const size_t count = next < like.size() ? leaves_of(like, next) : 1;
    all.insert(all.end(), count, name);
    next += count;
  }
  return all;
}

/// `body` gives results, which of them have a cotangent, and how the user reaches those.
nb::list run_transpose_linear(nb::callable body, nb::handle like, nb::handle cotangents) {
  UserCall scope("linear_transpose");
  FloatLeaves arguments({leaves_from(like, "like"), ""}, {"linear_transpose", {}});
  Leaves results;
  kolam::detail::Received received;
  const Leaves given = leaves_from(cotangents, "cotangents");
  auto function = [&](const Leaves& floats) {
    nb::object made = body(objects_from(arguments.with(floats)));
    results = leaves_from(made[0], "result of f");
    received = {{}, names_of_leaves(nb::cast<Names>(made[2]), results)};
    size_t next = 0, place = 0;
    for (nb::handle is_given : nb::borrow<nb::object>(made[1])) {
      const size_t count = leaves_of(results, next);
      for (size_t leaf = 0; leaf < count; ++leaf)
        received.places.push_back(nb::cast<bool>(is_given) ? std::optional(place++) : std::nullopt);
      next += count;
    }
    return results;
  };
  Leaves found = kolam::detail::transpose_linear(
      arguments.floats(), function, given, [&] { return received; }, Operand::Here::current());
  return objects_from(arguments.spread(found));
}

/// `rules` are those of kolam::detail::composite, over objects, each with None where there is no
/// tangent.
nb::list run_composite(const std::string& name, const std::string& called, nb::handle arguments,
                       nb::callable body, const std::vector<nb::callable>& rules) {
  UserCall scope(name.c_str());
  const Leaves given = leaves_from(arguments, "args");
  const bool is_jvp = name == "custom_jvp";
  Leaves like; // results
  auto function = [&](const Leaves& leaves) {
    return like = leaves_from(body(objects_from(leaves)), "result of f");
  };
  auto first = [&](const Leaves& own, const Leaves& all) {
    nb::list tangents = own.empty() ? nb::list() : objects_beside(own, given);
    Leaves twice = like;
    twice.insert(twice.end(), like.begin(), like.end());
    return leaves_beside(rules[0](tangents, objects_from(all)), "result of the rule",
                         is_jvp ? twice : like);
  };
  auto backward = [&](const Leaves& own, const Leaves&) {
    const auto split = own.end() - static_cast<int64_t>(like.size());
    return leaves_beside(rules[1](objects_from(Leaves(own.begin(), split)),
                                  objects_beside(Leaves(split, own.end()), like)),
                         "result of the rule", given);
  };
  std::vector<RuleBody> bodies;
  if (!rules.empty())
    bodies.push_back(first);
  if (rules.size() > 1)
    bodies.push_back(backward);
  return objects_from(kolam::detail::composite({name, {}}, given, function, bodies, {}, called));
}

nb::list run_checkpointed(const std::string& policy, const std::vector<std::string>& names,
                          nb::handle arguments, nb::callable body) {
  UserCall scope("checkpoint");
  return objects_from(kolam::detail::checkpointed(
      {"checkpoint", {}}, {policy, names}, leaves_from(arguments, "args"), function_of(body)));
}

} // namespace

void bind_derive(nb::module_& module) {
  nb::class_<Linear>(module, "_LinearFunction")
      .def("residuals", [](const Linear& self) { return objects_from(self.function.residuals()); })
      .def("at", &linear_at)
      .def("forward",
           [](const Linear& self, nb::handle tangents, const Names& names) {
             UserCall scope("linearize");
             Leaves found = self.function.forward(tangents_of(tangents, self.arguments),
                                                  Operand::Here::current(), names);
             return tangents_from(found, self.like, self.like);
           })
      .def("transposed", [](const Linear& self, nb::handle cotangents, const Names& names) {
        UserCall scope("vjp");
        return objects_from(self.arguments.spread(
            self.function.transposed(leaves_beside(cotangents, "cotangents", self.like),
                                     Operand::Here::current(), names_of_leaves(names, self.like))));
      });
  module.def("_gradients", &run_gradients);
  module.def("_linearise", &run_linearise, nb::arg("function"), nb::arg("body"), nb::arg("primals"),
             nb::arg("outlives") = false);
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
