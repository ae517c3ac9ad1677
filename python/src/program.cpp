// Traced programs: made from a Python function, looked at, run.
#include "bind.h"
#include "errors.h"
#include "modules.h"
#include "parameters.h"
#include "run_program.h"

#include "kolam/frontend/array/at_once.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace kolam::python {
namespace {

/// Calls `function` on traced values of the (dtype, shape) pairs and records what it does. It
/// returns a sequence of values, in Python's own scope: its lines are the user's. `scalars` are the
/// places and numbers of those that have no dtype of their own, `names` how the user reaches each,
/// `sizes` the shapes that the parameters have in the call it is traced for.
Program trace_function(nb::sequence parameters, nb::dict scalars, nb::callable function,
                       const std::vector<std::string>& names,
                       const std::vector<std::vector<int64_t>>& sizes) {
  std::vector<TensorSpec> specs;
  for (nb::handle parameter : parameters)
    specs.push_back({dtype_from(parameter[0]), FromPython<Shape>(parameter[1], "shape").get()});
  const ::kolam::detail::LikelySizes likely(specs, sizes);
  auto record = [&](std::vector<Tensor> values) {
    for (auto [place, number] : scalars) {
      Tensor& value = values.at(nb::cast<size_t>(place));
      value = as_scalar(value, to_operand(number, ""));
    }
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
  };
  struct Forget {
    ~Forget() { forget_traced_call(); }
  } behind_trace;
  return trace(specs, record, names);
}

/// The (dtype, shape) pairs of what `function` gives, which is called as in `trace_function`.
nb::list eval_shape_of(nb::sequence parameters, nb::callable function) {
  UserCall scope("eval_shape");
  std::vector<TensorSpec> specs;
  for (nb::handle parameter : parameters)
    specs.push_back({dtype_from(parameter[0]), FromPython<Shape>(parameter[1], "shape").get()});
  std::vector<TensorSpec> results =
      eval_shape(std::span<const TensorSpec>(specs), [&](std::vector<Tensor> values) {
        nb::object given;
        {
          CallbackScope user_code;
          given = function(to_list(values));
        }
        std::vector<Tensor> tensors;
        for (nb::handle result : given)
          tensors.push_back(to_tensor(result, "result"));
        return tensors;
      });
  nb::list pairs;
  for (const TensorSpec& spec : results)
    pairs.append(nb::make_tuple(dtype_object(spec.dtype), to_python(spec.shape)));
  return pairs;
}

/// True where a result of that dtype and, as far as known, shape could take the memory over.
bool may_become_result(const Array& array, const std::vector<TensorSpec>& results) {
  return std::any_of(results.begin(), results.end(), [&](const TensorSpec& result) {
    auto fits = [](int64_t extent, const Extent& expected) {
      return !expected.is_constant() || expected == Extent(extent);
    };
    return array && array.dtype() == result.dtype &&
           std::equal(array.shape().begin(), array.shape().end(), result.shape.begin(),
                      result.shape.end(), fits);
  });
}

/// Makes `array` the only holder of what looks like memory of its own, where one other handle holds
/// the memory too. False where more do, or where it is foreign.
bool lend(Array& array) {
  if (array.buffer().use_count() != 2 || array.buffer()->is_foreign())
    return false;
  std::shared_ptr<runtime::Buffer> buffer = array.buffer();
  std::shared_ptr<runtime::Buffer> lent(buffer.get(), [buffer](runtime::Buffer*) {});
  array = Array::view(std::move(lent), array.byte_offset(), array.dtype(), array.shape());
  return true;
}

/// Texts by names.
std::map<std::string, std::string> texts_of(const nb::dict& dict) {
  std::map<std::string, std::string> texts;
  for (auto [name, text] : dict)
    texts[nb::cast<std::string>(name)] = nb::cast<std::string>(text);
  return texts;
}

nb::list run_arrays(const Program& program, std::vector<Array> arrays, Backend on) {
  nb::list objects;
  for (Array& result : run_program(program, arrays, on))
    objects.append(to_python(std::move(result)));
  return objects;
}

/// A number of Python takes the dtype of its parameter.
Array argument_from(nb::handle object, const std::vector<TensorSpec>& parameters, size_t place) {
  auto scalar = try_scalar(object, "argument");
  if (!scalar || place >= parameters.size() || !parameters[place].shape.empty())
    return to_array(object, "argument");
  return full({}, *scalar, parameters[place].dtype);
}

/// The arrays of a list of arguments, which the function's argument `name` is to be.
std::vector<Array> arrays_of_run(const Program& program, nb::handle arguments, const char* name) {
  if (!PyList_Check(arguments.ptr()) && !PyTuple_Check(arguments.ptr()))
    fail_argument(ErrorKind::type, "argument-type", name, "a list of arrays", arguments);
  std::vector<TensorSpec> parameters = program.parameters();
  std::vector<Array> arrays;
  for (nb::handle argument : nb::borrow<nb::sequence>(arguments))
    arrays.push_back(argument_from(argument, parameters, arrays.size()));
  return arrays;
}

/// Runs on the arrays that `describe_leaves` made.
nb::list run_described(const Program& program, nb::list arguments, const std::string& backend) {
  Backend on = backend_from(backend);
  std::vector<Array> arrays;
  for (nb::handle argument : arguments)
    arrays.push_back(*nb::inst_ptr<Array>(argument));
  return run_arrays(program, std::move(arrays), on);
}

/// The same, with arrays that the caller gives away: emptied for the time of the run, and filled
/// again where it raises, unless a result may have been written into their memory. A run alone
/// holds an array that nobody else has; so it takes the memory over (Note [Giving back]).
nb::list run_donating(const Program& program, nb::list arguments, const std::string& backend,
                      nb::list donated, bool reuses_memory) {
  Backend on = backend_from(backend);
  located("jit", [&] { released([&] { program.compile(on); }); }); // may fail, with nothing lost
  std::vector<Array> arrays;
  for (nb::handle argument : arguments)
    arrays.push_back(std::exchange(*nb::inst_ptr<Array>(argument), Array()));
  std::vector<TensorSpec> results = reuses_memory ? program.results() : std::vector<TensorSpec>();
  std::vector<Array> saved;
  for (nb::handle array : donated)
    saved.push_back(std::exchange(*nb::inst_ptr<Array>(array), Array()));
  std::vector<bool> is_lent(saved.size());
  for (size_t i = 0; i < saved.size(); ++i)
    for (Array& array : arrays)
      if (array.buffer() == saved[i].buffer() && may_become_result(array, results))
        is_lent[i] = lend(array) || is_lent[i];
  auto give_back = [&](bool has_started) {
    for (size_t i = 0; i < saved.size(); ++i)
      if (!has_started || !is_lent[i])
        *nb::inst_ptr<Array>(donated[i]) = saved[i];
  };
  try {
    return run_arrays(program, std::move(arrays), on);
  } catch (const Error& error) {
    give_back(error.slug() != "argument-mismatch" && error.slug() != "out-of-memory");
    throw;
  } catch (...) {
    give_back(true);
    throw;
  }
}

/// Throws what is wrong with an argument, or a part of it, and what to do about one that is no
/// array.
void refuse_argument(nb::handle leaf, const std::string& name) {
  try {
    to_tensor(leaf, name);
  } catch (const Error& error) {
    if (error.slug() != "not-an-array" || name.empty() || nb::hasattr(leaf, "leaf_shape"))
      throw;
    fail(error.kind(), error.slug(),
         error.message() + "; make the argument static (static_argnames='" +
             name.substr(0, name.find_first_of("[.")) + "'), or register its class (kolam.pytree)");
  }
}

/// What decides whether a call can run an earlier trace: the leaves as arrays, a text of their
/// dtypes and shapes, and Python's numbers among them by their places; of these the text says which
/// dtypes hold them, as that decides whether they fit. None in place of all that where a leaf is
/// traced, so that the call is part of another trace. `name_of(i)` names a leaf in errors.
nb::object describe_leaves(nb::sequence leaves, nb::callable name_of, const std::string& function) {
  nb::list arrays;
  nb::dict scalars;
  std::string key;
  for (nb::handle leaf : leaves)
    if (nb::isinstance<Traced>(leaf))
      return nb::none();
  size_t place = 0;
  for (nb::handle leaf : leaves) {
    std::optional<Array> array;
    try {
      if ((array = wide_scalar(leaf))) {
        scalars[nb::int_(place)] = leaf;
        key += fitting_dtypes(*array, to_operand(leaf, ""));
      } else if (Tensor tensor = to_tensor(leaf, ""); !tensor.is_traced()) {
        array = tensor.array();
      }
    } catch (const Error&) {
      // Once more, for words that name the argument: names cost too much where nothing is wrong.
      UserCall scope(function);
      refuse_argument(leaf, nb::cast<std::string>(name_of(place)));
      throw;
    }
    if (!array)
      return nb::none(); // a list that holds traced values
    key += static_cast<char>('a' + static_cast<int>(array->dtype()));
    for (int64_t extent : array->shape())
      key += std::to_string(extent) + ",";
    arrays.append(nb::cast(std::move(*array)));
    ++place;
  }
  return nb::make_tuple(arrays, key, scalars);
}

std::vector<Array> arrays_from(nb::sequence arguments) {
  std::vector<Array> arrays;
  for (nb::handle argument : arguments)
    arrays.push_back(to_array(argument, "arguments"));
  return arrays;
}

// Note [Giving back]
//
// The runtime reuses the memory of an argument whose buffer has no second holder. We keep a handle
// to give back, so the run gets a holder of another count: a shared_ptr that owns our shared_ptr.
// Errors that come before the first op (of the arguments, and of memory that is not there) leave
// the arrays as they were; a check that fails or Ctrl-C comes later, when elements may have been
// overwritten.

} // namespace

void bind_program(nb::module_& module) {
  nb::class_<Program> type(module, "Program", nb::is_weak_referenceable(),
                           "A traced function: to look at and to run.");
  type.def(
      "as_text",
      [](const Program& program, const std::string& stage) {
        UserCall scope("as_text");
        return released([&] { return program.as_text(stage); });
      },
      nb::arg("stage") = "program",
      "The text after a stage: program, tensors (its lists as tensors), rewritten, nests, lowered, "
      "llvm or assembly.");
  type.def(
      "explain",
      [](const Program& program, nb::handle measure) {
        UserCall scope("explain");
        if (measure.is_none())
          return released([&] { return program.explain(); });
        std::vector<Array> arrays = arrays_of_run(program, measure, "measure");
        return released([&] { return program.explain_measured(std::move(arrays)); });
      },
      nb::arg("measure") = nb::none(),
      "The loop nests: what is fused, what is not and why, bytes and flops, and a summary of "
      "reasons. Where `measure` is a list of arguments, the program runs on them, again and again "
      "for about half a second, with its host functions: then also what each step takes, the "
      "longest first, its share of the run and of what this machine can do.");
  type.def(
      "picture",
      [](const Program& program, const std::string& kind, nb::sequence arguments) {
        UserCall scope("picture");
        std::vector<Array> arrays = arrays_from(arguments);
        return released([&] { return program.picture(kind, arrays); });
      },
      nb::arg("kind"), nb::arg("arguments") = nb::tuple(),
      "A program on lists as text: elements, structure, blocks, or domain, which needs arguments.");
  type.def(
      "as_dot",
      [](const Program& program, const std::string& kind, nb::sequence arguments) {
        UserCall scope("as_dot");
        std::vector<Array> arrays = arrays_from(arguments);
        return released([&] { return program.as_dot(kind, arrays); });
      },
      nb::arg("kind") = "program", nb::arg("arguments") = nb::tuple(),
      "The graph of the ops, or a picture, in graphviz's language.");
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
        std::vector<Array> arrays = arrays_of_run(program, arguments, "arguments");
        return run_arrays(program, std::move(arrays), backend_from(backend));
      },
      nb::arg("arguments"), nb::arg("backend") = "cpu",
      "Compiles where that has not been done, and runs on a list of arrays.");
  type.def("_tune", [](const Program& program, nb::list arguments, double budget) {
    UserCall scope("tune");
    std::vector<Array> arrays;
    for (nb::handle argument : arguments)
      arrays.push_back(*nb::inst_ptr<Array>(argument));
    nb::list nests;
    for (const TunedNest& nest : released([&] { return program.tune(arrays, budget); })) {
      nb::dict facts;
      facts["name"] = nest.name;
      facts["measured"] = nest.measured;
      facts["possible"] = nest.possible;
      facts["by_rule"] = nest.by_rule;
      facts["best"] = nest.best;
      facts["schedule"] = nest.schedule;
      nests.append(facts);
    }
    return nests;
  });
  type.def("_run_described", &run_described);
  type.def("_run_donating", &run_donating);
  type.def(
      "_with_layouts",
      [](const Program& program, const nb::dict& layouts) {
        UserCall scope("jit");
        return released([&, texts = texts_of(layouts)] { return program.with_layouts(texts); });
      },
      nb::arg("layouts"));
  type.def(
      "_with_random_layouts",
      [](const Program& program, uint64_t seed) {
        return released([&] { return program.with_random_layouts(seed); });
      },
      nb::arg("seed"));
  type.def(
      "_with_schedules",
      [](const Program& program, const nb::dict& schedules) {
        UserCall scope("jit");
        return released([&, texts = texts_of(schedules)] { return program.with_schedules(texts); });
      },
      nb::arg("schedules"));
  type.def("_expect_single_calls", [](const Program& program) {
    released([&] { kolam::detail::expect_single_calls(program); });
  });
  type.def(
      "_schedule_faults",
      [](const Program& program, int threads) {
        UserCall scope("_schedule_faults");
        std::vector<std::string> faults =
            released([&] { return program.schedule_faults(threads); });
        nb::list result;
        for (const std::string& fault : faults)
          result.append(fault);
        return result;
      },
      nb::arg("threads") = 2);
  type.def(
      "with_checks",
      [](const Program& program, bool nan, bool bounds, bool overflow) {
        UserCall scope("with_checks");
        return released([&] { return program.with_checks({nan, bounds, overflow}); });
      },
      nb::arg("nan") = true, nb::arg("bounds") = true, nb::arg("overflow") = false,
      "The program with checks put in: a failure raises with the op and the user's line.");
  type.def("_in_order", [](const Program& program, const std::string& order) {
    return program.in_order(order == "waves" ? ScanOrder::waves : ScanOrder::sequential);
  });
  auto specs = [](const std::vector<TensorSpec>& specs) {
    nb::list pairs;
    for (const TensorSpec& spec : specs)
      pairs.append(nb::make_tuple(dtype_object(spec.dtype), to_python(spec.shape)));
    return pairs;
  };
  type.def(
      "parameters", [specs](const Program& program) { return specs(program.parameters()); },
      "The (dtype, shape) of each argument.");
  type.def(
      "results", [specs](const Program& program) { return specs(program.results()); },
      "The (dtype, shape) of each result.");
  type.def(
      "captured",
      [](const Program& program) {
        nb::list arrays;
        for (const Array& array : program.captured())
          arrays.append(to_python(array));
        return arrays;
      },
      "Arrays of the code around the function that it used; small ones are part of the text.");
  type.def(
      "parameter_names", [](const Program& program) { return program.parameter_names(); },
      "The names that a parsed text gives to the arguments; empty for a traced program.");
  type.def(
      "result_names", [](const Program& program) { return program.result_names(); },
      "The names that a parsed text gives to the returned values; empty for a traced program.");
  type.def("__repr__", [](const Program& program) { return program.as_text(); });

  module.def("_trace", &trace_function);
  module.def("_eval_shape", &eval_shape_of);
  module.def(
      "_trace_checked",
      [](nb::callable function, bool nan, bool bounds, bool overflow) {
        located("jit", [&] { trace_checked({nan, bounds, overflow}, [&] { function(); }); });
      },
      nb::arg("function"), nb::arg("nan"), nb::arg("bounds"), nb::arg("overflow"));
  module.def("_describe_leaves", &describe_leaves);
  module.def("_fitting_dtypes", [](nb::dict scalars) {
    std::string text;
    for (auto [place, number] : scalars)
      text += fitting_dtypes(*wide_scalar(number), to_operand(number, "")) + ",";
    return text;
  });
  bind(module, "parse_program", "text, file_name='<text>'",
       [](const std::string& text, const std::string& file_name) {
         return parse_program(text, file_name);
       });
}

} // namespace kolam::python
