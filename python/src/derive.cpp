// Derivatives of functions whose bodies are Python's; kolam/_derive.py takes pytrees apart and puts
// them back.
#include "kolam/frontend/array/derive.h"

#include "bind.h"
#include "modules.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace kolam::python {
namespace {

using kolam::detail::Leaves;
using kolam::detail::LeavesFunction;
using kolam::detail::LinearFunction;
using kolam::detail::RuleBody;

/// None is an empty tensor.
Leaves leaves_from(nb::handle objects, const char* argument) {
  Leaves leaves;
  for (nb::handle leaf : nb::borrow<nb::object>(objects))
    leaves.push_back(leaf.is_none() ? Tensor() : to_tensor(leaf, argument));
  return leaves;
}

nb::list objects_from(const Leaves& leaves) {
  nb::list objects;
  for (const Tensor& leaf : leaves)
    if (leaf.is_empty())
      objects.append(nb::none());
    else
      objects.append(to_python(leaf));
  return objects;
}

LeavesFunction function_of(const nb::callable& body) {
  return [body](const Leaves& leaves) {
    return leaves_from(body(objects_from(leaves)), "result of f");
  };
}

nb::object run_gradients(const std::string& function, nb::callable body, nb::handle primals) {
  UserCall scope(function.c_str());
  kolam::detail::Gradients made = kolam::detail::gradients(
      function, leaves_from(primals, "args"), function_of(body), Operand::Here::current());
  return nb::make_tuple(objects_from(made.results), objects_from(made.gradients));
}

nb::object run_linearise(const std::string& function, nb::callable body, nb::handle primals) {
  UserCall scope(function.c_str());
  kolam::detail::LinearisedLeaves made = kolam::detail::linearise(
      function, leaves_from(primals, "args"), function_of(body), Operand::Here::current());
  return nb::make_tuple(objects_from(made.results), made.linear);
}

nb::object run_push_forward(nb::callable body, nb::handle primals, nb::handle tangents) {
  UserCall scope("jvp");
  kolam::detail::Pushed made = kolam::detail::push_forward(
      "jvp", leaves_from(primals, "primals"), leaves_from(tangents, "tangents"), function_of(body),
      Operand::Here::current());
  return nb::make_tuple(objects_from(made.results), objects_from(made.tangents));
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
  return objects_from(kolam::detail::composite(name, leaves_from(arguments, "args"), floats,
                                               function_of(body), bodies,
                                               Operand::Here::current()));
}

} // namespace

void bind_derive(nb::module_& module) {
  nb::class_<LinearFunction>(module, "_LinearFunction")
      .def("forward",
           [](const LinearFunction& self, nb::handle tangents) {
             UserCall scope("linearize");
             return objects_from(
                 self.forward(leaves_from(tangents, "tangents"), Operand::Here::current()));
           })
      .def("transposed", [](const LinearFunction& self, nb::handle cotangents) {
        UserCall scope("vjp");
        return objects_from(
            self.transposed(leaves_from(cotangents, "cotangents"), Operand::Here::current()));
      });
  module.def("_gradients", &run_gradients);
  module.def("_linearise", &run_linearise);
  module.def("_push_forward", &run_push_forward);
  module.def("_transpose_linear", &run_transpose_linear);
  module.def("_composite", &run_composite);
  module.def("_is_tracing", [] { return kolam::detail::is_tracing(); });
}

} // namespace kolam::python
