// Traced programs: made from a Python function, looked at, run.
#include "bind.h"
#include "errors.h"
#include "interrupt.h"
#include "modules.h"
#include "parameters.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

namespace kolam::python {
namespace {

Backend backend_from(const std::string& name) {
  if (name == "cpu")
    return Backend::cpu;
  if (name == "interpret")
    return Backend::interpret;
  fail(ErrorKind::value, "unknown-backend",
       "argument 'backend': expected 'cpu' or 'interpret', but got '" + name + "'");
}

/// Calls `f`; an error that names no function names `function` and the user's line. Finding the
/// line before every call would cost more than many runs.
template <class F> auto located(const char* function, const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (!CallScope::current_function().empty())
      throw;
    SourceLocation where = error.where() ? error.where() : user_line();
    CallScope scope(function, where);
    throw Error(error.kind(), error.slug(), error.message(), where);
  }
}

/// Calls `function` on traced values of the (dtype, shape) pairs and records what it does. It
/// returns a sequence of values, in Python's own scope: its lines are the user's.
Program trace_function(nb::sequence parameters, nb::callable function) {
  std::vector<TensorSpec> specs;
  for (nb::handle parameter : parameters)
    specs.push_back({dtype_from(parameter[0]), FromPython<Shape>(parameter[1], "shape").get()});
  return trace(specs, [&](std::vector<Tensor> values) {
    nb::list arguments;
    for (Tensor& value : values)
      arguments.append(nb::cast(Traced{std::move(value)}));
    nb::sequence results = nb::borrow<nb::sequence>(function(arguments));
    return located("jit", [&] {
      std::vector<Tensor> tensors;
      for (nb::handle result : results)
        tensors.push_back(to_tensor(result, "result"));
      return tensors;
    });
  });
}

nb::list run_arrays(const Program& program, std::vector<Array> arrays, const std::string& backend) {
  Backend on = backend_from(backend);
  Interruptible interruptible;
  std::vector<Array> results =
      located("jit", [&] { return released([&] { return program.run(std::move(arrays), on); }); });
  nb::list objects;
  for (Array& result : results)
    objects.append(to_python(std::move(result)));
  return objects;
}

nb::list run(const Program& program, nb::sequence arguments, const std::string& backend) {
  std::vector<Array> arrays;
  for (nb::handle argument : arguments)
    arrays.push_back(to_array(argument, "argument"));
  return run_arrays(program, std::move(arrays), backend);
}

/// Takes the arrays out of the list that `describe_leaves` made: the run alone holds them then, if
/// the caller's own handles are gone.
nb::list run_taking(const Program& program, nb::list arguments, const std::string& backend) {
  std::vector<Array> arrays;
  for (nb::handle argument : arguments)
    arrays.push_back(std::exchange(*nb::inst_ptr<Array>(argument), Array()));
  return run_arrays(program, std::move(arrays), backend);
}

/// What decides whether a call can run an earlier trace: the leaves as arrays, and a text of their
/// dtypes and shapes. None in place of the pair where a leaf is traced, so that the call is part of
/// another trace.
nb::object describe_leaves(nb::sequence leaves) {
  nb::list arrays;
  std::string key;
  for (nb::handle leaf : leaves) {
    if (nb::isinstance<Traced>(leaf))
      return nb::none();
    Tensor tensor = located("jit", [&] { return to_tensor(leaf, ""); });
    if (tensor.is_traced())
      return nb::none();
    key += static_cast<char>('a' + static_cast<int>(tensor.dtype()));
    for (int64_t extent : tensor.array().shape())
      key += std::to_string(extent) + ",";
    arrays.append(nb::cast(tensor.array()));
  }
  return nb::make_tuple(arrays, key);
}

} // namespace

void bind_program(nb::module_& module) {
  nb::class_<Program> type(module, "Program", "A traced function: to look at and to run.");
  type.def(
      "as_text",
      [](const Program& program, const std::string& stage) {
        UserCall scope("as_text");
        return released([&] { return program.as_text(stage); });
      },
      nb::arg("stage") = "program",
      "The text after a stage: program, rewritten, nests, lowered, llvm or assembly.");
  type.def(
      "explain",
      [](const Program& program) {
        UserCall scope("explain");
        return released([&] { return program.explain(); });
      },
      "The loop nests: what is fused, what is not and why, bytes and flops.");
  type.def(
      "as_dot",
      [](const Program& program) {
        UserCall scope("as_dot");
        return released([&] { return program.as_dot(); });
      },
      "The graph of the ops in graphviz's language.");
  type.def(
      "cost",
      [](const Program& program) {
        UserCall scope("cost");
        return released([&] { return program.cost(); });
      },
      "flops, bytes, arena_bytes and nests, by name.");
  type.def(
      "compile",
      [](const Program& program, const std::string& backend) {
        UserCall scope("compile");
        Backend on = backend_from(backend);
        released([&] { program.compile(on); });
      },
      nb::arg("backend") = "cpu");
  type.def(
      "run",
      [](const Program& program, nb::handle arguments, const std::string& backend) {
        UserCall scope("run");
        if (!PyList_Check(arguments.ptr()) && !PyTuple_Check(arguments.ptr()))
          fail_argument(ErrorKind::type, "argument-type", "arguments", "a list of arrays",
                        arguments);
        return run(program, nb::borrow<nb::sequence>(arguments), backend);
      },
      nb::arg("arguments"), nb::arg("backend") = "cpu",
      "Compiles where that has not been done, and runs on a list of arrays.");
  type.def("_run_taking", &run_taking);
  type.def(
      "with_checks",
      [](const Program& program, bool nan, bool bounds, bool overflow) {
        UserCall scope("with_checks");
        return released([&] { return program.with_checks({nan, bounds, overflow}); });
      },
      nb::arg("nan") = true, nb::arg("bounds") = true, nb::arg("overflow") = false,
      "The program with checks put in: a failure raises with the op and the user's line.");
  type.def("__repr__", [](const Program& program) { return program.as_text(); });

  module.def("_trace", &trace_function);
  module.def("_describe_leaves", &describe_leaves);
  bind(module, "parse_program", "text, file_name='<text>'",
       [](const std::string& text, const std::string& file_name) {
         return parse_program(text, file_name);
       });
}

} // namespace kolam::python
