// Loops, branches and scans, whose bodies are Python functions; kolam/control.py takes pytrees
// apart and puts them back.
#include "bind.h"
#include "lists.h"
#include "modules.h"

#include "kolam/frontend/fractal/fractal_tensor.h"

#include <nanobind/stl/string.h>

namespace kolam::python {
namespace {

using kolam::detail::Flat;
using kolam::detail::FlatStart;
using kolam::detail::Leaves;

Leaves leaves_from(nb::handle objects, const char* argument) {
  Leaves leaves;
  for (nb::handle leaf : nb::borrow<nb::object>(objects))
    leaves.push_back(to_tensor(leaf, argument));
  return leaves;
}

/// The same with lists among them, which are their leaves and offsets as for C++'s pytrees.
Leaves leaves_of_lists(nb::handle objects, const char* argument) {
  Leaves leaves;
  for (nb::handle leaf : nb::borrow<nb::object>(objects))
    if (is_list(leaf))
      fractal::detail::append_tensors({list_from(leaf, argument)}, leaves);
    else
      leaves.push_back(to_tensor(leaf, argument));
  return leaves;
}

nb::list objects_from(const Leaves& leaves) {
  nb::list objects;
  for (const Tensor* next = leaves.data(); next != leaves.data() + leaves.size();)
    if (int64_t depth = next->list_depth())
      objects.append(to_object(fractal::detail::take_list(depth, next)));
    else
      objects.append(to_python(*next++));
  return objects;
}

/// A pair of leaves and the text of their structure.
Flat flat_from(nb::handle pair, const char* argument) {
  return {leaves_from(pair[0], argument), nb::cast<std::string>(pair[1])};
}
Flat flat_of_lists(nb::handle pair, const char* argument) {
  return {leaves_of_lists(pair[0], argument), nb::cast<std::string>(pair[1])};
}

bool has_lists(nb::handle objects) {
  for (nb::handle leaf : nb::borrow<nb::object>(objects))
    if (nb::hasattr(leaf, "leaf_shape"))
      return true;
  return false;
}

/// The same of what a body gives: a number of Python takes the dtype that is asked for.
Flat result_from(nb::handle pair, const char* argument) {
  if (has_lists(pair[0]))
    return flat_of_lists(pair, argument);
  Leaves leaves;
  for (nb::handle leaf : nb::borrow<nb::object>(pair[0])) {
    auto scalar = try_scalar(leaf, argument);
    if (nb::isinstance<Traced>(leaf))
      leaves.push_back(nb::inst_ptr<Traced>(leaf)->tensor);
    else
      leaves.push_back(scalar ? number_tensor(*scalar) : to_tensor(leaf, argument));
  }
  return {std::move(leaves), nb::cast<std::string>(pair[1])};
}

/// The same of an initial state, in which numbers of Python have no dtype.
FlatStart start_from(nb::handle pair, const char* argument) {
  if (has_lists(pair[0])) {
    Flat flat = flat_of_lists(pair, argument);
    return {{flat.leaves.begin(), flat.leaves.end()}, std::move(flat.structure)};
  }
  std::vector<Operand> leaves;
  for (nb::handle leaf : nb::borrow<nb::object>(pair[0])) {
    auto scalar = try_scalar(leaf, argument);
    if (nb::isinstance<Traced>(leaf))
      leaves.emplace_back(nb::inst_ptr<Traced>(leaf)->tensor);
    else
      leaves.push_back(scalar ? *scalar : Operand(to_tensor(leaf, argument)));
  }
  return {std::move(leaves), nb::cast<std::string>(pair[1])};
}

nb::list run_fori_loop(nb::handle lower, nb::handle upper, nb::handle init, nb::callable body) {
  UserCall scope("fori_loop");
  return objects_from(kolam::detail::fori_loop(
      to_operand(lower, "lower"), to_operand(upper, "upper"), start_from(init, "init"),
      [&](Tensor i, const Leaves& state) {
        return result_from(body(to_python(i), objects_from(state)), "result of body");
      }));
}

nb::list run_associative_scan(nb::callable f, nb::handle xs, int64_t axis, bool reverse,
                              nb::handle identity, nb::handle segments) {
  UserCall scope("associative_scan");
  AssociativeScanOptions options{.axis = axis, .reverse = reverse};
  if (!identity.is_none())
    options.identity = FromPython<std::vector<Operand>>(identity, "identity").get();
  if (!segments.is_none())
    options.segments = to_tensor(segments, "segments");
  return to_list(kolam::detail::associative_scan(
      flat_from(xs, "xs"), options,
      [&](const Leaves& a, const Leaves& b) {
        return flat_from(f(to_list(a), to_list(b)), "result of f");
      },
      Operand::Here::current()));
}

nb::list run_while_loop(nb::handle init, nb::callable condition, nb::callable body) {
  UserCall scope("while_loop");
  return objects_from(kolam::detail::while_loop(
      start_from(init, "init"),
      [&](const Leaves& state) {
        return to_tensor(condition(objects_from(state)), "result of condition");
      },
      [&](const Leaves& state) { return result_from(body(objects_from(state)), "result of body"); },
      Operand::Here::current()));
}

nb::list run_branch(const std::string& function, nb::handle selector, nb::handle operands,
                    nb::sequence branches) {
  UserCall scope(function);
  std::vector<std::function<Flat(const Leaves&)>> bodies;
  for (nb::handle branch : branches)
    bodies.push_back([branch](const Leaves& leaves) {
      return result_from(branch(objects_from(leaves)), "result of a branch");
    });
  return objects_from(kolam::detail::branch(function, to_operand(selector, "pred"),
                                            leaves_of_lists(operands, "operands"), bodies));
}

nb::tuple run_scan(nb::callable body, nb::handle init, nb::handle xs, nb::handle length,
                   bool reverse) {
  UserCall scope("scan");
  ScanOptions options{.reverse = reverse};
  options.length = FromPython<std::optional<Extent>>(length, "length").get();
  if (has_lists(init[0]))
    leaves_from(init[0], "init"); // throws: a scan of arrays carries none
  FlatStart start = start_from(init, "init");
  kolam::detail::ScanResult result = kolam::detail::scan(
      std::move(start), flat_from(xs, "xs"), options,
      [&](const Leaves& state, const Leaves& x) {
        nb::object turn = body(to_list(state), to_list(x));
        return kolam::detail::ScanTurn{result_from(turn[0], "result of f"),
                                       flat_from(turn[1], "result of f")};
      },
      Operand::Here::current());
  return nb::make_tuple(to_list(result.state), to_list(result.ys));
}

/// `mapped`: (tensor, axis, name) each; the body gives such triples, or None as an axis.
nb::list run_vmap(nb::callable body, nb::handle mapped, nb::handle axis_size,
                  const std::string& axis_name) {
  UserCall scope("vmap");
  std::vector<kolam::detail::Mapped> inputs;
  for (nb::handle triple : nb::borrow<nb::object>(mapped))
    inputs.push_back({to_tensor(triple[0], "args"), nb::cast<int64_t>(triple[1]),
                      nb::cast<std::string>(triple[2])});
  return to_list(kolam::detail::vmap(
      inputs, {FromPython<std::optional<Extent>>(axis_size, "axis_size").get(), axis_name},
      [&](const Leaves& slices) {
        std::vector<kolam::detail::MappedResult> results;
        for (nb::handle triple : nb::borrow<nb::object>(body(to_list(slices)))) {
          std::optional<int64_t> axis;
          if (!nb::object(triple[1]).is_none())
            axis = nb::cast<int64_t>(triple[1]);
          results.push_back(
              {to_tensor(triple[0], "result of f"), axis, nb::cast<std::string>(triple[2])});
        }
        return results;
      },
      Operand::Here::current()));
}

} // namespace

void bind_control(nb::module_& module) {
  module.def("_associative_scan", &run_associative_scan, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg().none(), nb::arg().none());
  module.def("_fori_loop", &run_fori_loop);
  module.def("_while_loop", &run_while_loop);
  module.def("_vmap", &run_vmap, nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  module.def("_branch", &run_branch);
  module.def("_scan", &run_scan, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
}

} // namespace kolam::python
