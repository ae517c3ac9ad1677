// The data dimension of programs.
#include "kolam/frontend/array/layout.h"

#include "bind.h"
#include "modules.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace kolam::python {
namespace {

layout::Pin pin_from(nb::handle given, const std::string& of) {
  if (nb::isinstance<nb::str>(given))
    return nb::cast<std::string>(given);
  if (nb::isinstance<nb::bool_>(given) || !nb::isinstance<nb::int_>(given))
    fail_argument(ErrorKind::type, "argument-type", of, "a dim or a text with '!'", given);
  return FromPython<int64_t>(given, of.c_str()).get();
}

nb::object where_object(const SourceLocation& where) {
  if (!where)
    return nb::none();
  return nb::make_tuple(where.file, where.line);
}

layout::InferOptions options_from(const nb::dict& given) {
  layout::InferOptions options;
  options.profile = nb::cast<std::string>(given["profile"]);
  options.mode = nb::cast<std::string>(given["mode"]);
  options.costs = nb::cast<std::string>(given["costs"]);
  options.allow_dynamic_weights = nb::cast<bool>(given["allow_dynamic_weights"]);
  options.constants = nb::cast<std::vector<std::string>>(given["constants"]);
  for (auto [name, pin] : nb::cast<nb::dict>(given["inputs"]))
    options.inputs.emplace(nb::cast<std::string>(name), pin_from(pin, "inputs"));
  for (auto [number, pin] : nb::cast<nb::dict>(given["outputs"]))
    options.outputs.emplace(nb::cast<int64_t>(number), pin_from(pin, "outputs"));
  return options;
}

/// What an op and a relayout have in common.
template <class Found> nb::dict facts_of(const Found& found) {
  nb::dict facts;
  facts["text"] = found.text;
  facts["where"] = where_object(found.where);
  facts["time"] = found.time;
  return facts;
}

nb::dict as_dict(const layout::Inferred& inferred) {
  nb::dict result;
  result["inputs"] = nb::cast(inferred.inputs);
  result["outputs"] = nb::cast(inferred.outputs);
  nb::list ops, relayouts;
  for (const layout::InferredOp& op : inferred.ops) {
    nb::dict facts = facts_of(op);
    facts["cost"] = op.cost;
    facts["memory"] = op.memory;
    facts["variant"] = op.variant.empty() ? nb::object(nb::none()) : nb::cast(op.variant);
    ops.append(facts);
  }
  for (const layout::InferredRelayout& relayout : inferred.relayouts) {
    nb::dict facts = facts_of(relayout);
    facts["source"] = relayout.from;
    facts["target"] = relayout.to;
    relayouts.append(facts);
  }
  result["ops"] = ops;
  result["relayouts"] = relayouts;
  result["total"] = inferred.total;
  result["bound"] = inferred.bound;
  result["exact"] = inferred.exact;
  result["text"] = inferred.text;
  result["program"] = inferred.program;
  result["dot"] = inferred.dot;
  result["json"] = inferred.json;
  return result;
}

nb::dict as_dict(const layout::DataDimensionError& error) {
  nb::dict result;
  nb::list core;
  for (const layout::ConflictingCall& call : error.core()) {
    nb::dict facts;
    facts["kind"] = call.kind;
    facts["name"] = call.name;
    facts["where"] = where_object(call.where);
    facts["text"] = call.text;
    core.append(facts);
  }
  result["message"] = error.message();
  result["core"] = core;
  return result;
}

} // namespace

void bind_layout(nb::module_& module) {
  module.def(
      "_infer_layout",
      [](const Program& program, const nb::dict& given) {
        UserCall scope("layout.infer");
        layout::InferOptions options = options_from(given);
        try {
          return as_dict(released([&] { return layout::infer(program, options); }));
        } catch (const layout::DataDimensionError& error) {
          return as_dict(error);
        }
      },
      nb::arg("program"), nb::arg("options"));
  module.def(
      "_pin_layout",
      [](nb::handle x, nb::handle at) {
        UserCall scope("layout.pin");
        Operand operand = FromPython<Operand>(x, "x").get();
        layout::Pin pin = pin_from(at, "at");
        return to_python(released([&] { return layout::pin(operand, pin); }));
      },
      nb::arg("x").none(), nb::arg("at").none());
}

} // namespace kolam::python
