// Calls of Python functions from inside programs; kolam/opaque_call.py says what users see.
#include "bind.h"
#include "modules.h"

#include <nanobind/stl/string.h>

namespace kolam::python {
namespace {

/// What a Python function gives: one array, or a tuple or list of them.
std::vector<Array> arrays_from(nb::handle result) {
  std::vector<Array> arrays;
  if (!PyTuple_Check(result.ptr()) && !PyList_Check(result.ptr()))
    return {to_array(result, "result of f")};
  for (nb::handle item : nb::borrow<nb::object>(result))
    arrays.push_back(to_array(item, "result of f"));
  return arrays;
}

/// Programs run without the interpreter's lock; the function takes it.
HostFunction host_function(nb::callable function) {
  return HostFunction([function](std::span<const Array> inputs) {
    nb::gil_scoped_acquire acquire;
    nb::list arguments;
    for (const Array& input : inputs)
      arguments.append(to_python(input));
    return arrays_from(function(*arguments));
  });
}

nb::list run_opaque_call(const HostFunction& f, nb::handle inputs, nb::handle results) {
  UserCall scope("opaque_call");
  std::vector<TensorSpec> specs;
  for (nb::handle pair : nb::borrow<nb::object>(results))
    specs.push_back({dtype_from(pair[1]), FromPython<Shape>(pair[0], "results").get()});
  return to_list(opaque_call(f, FromPython<std::vector<Operand>>(inputs, "inputs").get(), specs));
}

void run_debug_callback(const std::string& name, nb::callable function, nb::handle inputs) {
  UserCall scope(name);
  std::vector<Operand> operands = FromPython<std::vector<Operand>>(inputs, "args").get();
  if (kolam::detail::is_tracing())
    return debug::callback(host_function(function), Operands(operands));
  nb::list arrays; // at once, with nothing to keep
  for (nb::handle input : nb::borrow<nb::object>(inputs))
    arrays.append(to_python(to_array(input, "args")));
  CallbackScope user_code;
  function(*arrays);
}

} // namespace

void bind_opaque_call(nb::module_& module) {
  nb::class_<HostFunction>(module, "_HostFunction")
      .def("__init__", [](HostFunction* self, nb::callable function) {
        new (self) HostFunction(host_function(std::move(function)));
      });
  module.def("_opaque_call", &run_opaque_call);
  module.def("_debug_callback", &run_debug_callback);
}

} // namespace kolam::python
