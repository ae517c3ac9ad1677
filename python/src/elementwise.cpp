// The functions of the elementwise table: one loop over rows.
#include "bind.h"
#include "convert.h"
#include "errors.h"
#include "modules.h"

#include "kolam/support/elementwise_doc.h"

#include <string>
#include <vector>

namespace kolam::python {
namespace {

/// Parameter names of a row: `where` has a condition first.
std::vector<const char*> parameter_names(const ElementwiseRow& row) {
  if (row.fn == Fn::where)
    return {"condition", "x", "y"};
  std::vector<const char*> names{"x", "y", "z"};
  names.resize(row.arity);
  return names;
}

std::string signature(const ElementwiseRow& row) {
  std::string text(row.name);
  text += "(";
  for (const char* name : parameter_names(row))
    text.append(name).append(", ");
  return text + "/)";
}

const char* rule_name(OperandRule rule) {
  constexpr const char* names[] = {"any",      "numeric", "integer", "integer_or_boolean",
                                   "floating", "boolean"};
  return names[static_cast<size_t>(rule)];
}

/// where(condition): the places where it holds, as NumPy has it.
nb::object call_nonzero(const nb::args& given, const nb::kwargs& named) {
  static const Parameters* const parameters =
      new Parameters("where", "condition, size=None, fill_value=0");
  std::vector<nb::object> arguments = parameters->match(given, named);
  Operand condition = to_operand(arguments[0], "condition");
  NonzeroOptions options{FromPython<std::optional<Extent>>(arguments[1], "size").get(),
                         FromPython<std::vector<int64_t>>(arguments[2], "fill_value").get()};
  return nb::tuple(to_list(released([&] { return nonzero(condition, options); })));
}

nb::object made(const ElementwiseRow& row, const nb::args& given, const nb::kwargs& named) {
  UserCall scope(row.name);
  std::vector<const char*> names = parameter_names(row);
  for (auto [key, value] : named) {
    auto keyword = nb::cast<std::string>(key);
    fail(ErrorKind::type, "call-mismatch",
         "expected " + signature(row) + ", but got an argument '" + keyword + "'" +
             keyword_hint(keyword, {names.begin(), names.end()}));
  }
  if (static_cast<int>(given.size()) != row.arity)
    fail(ErrorKind::type, "call-mismatch",
         "expected " + signature(row) + ", but got " + std::to_string(given.size()) + " arguments");
  std::vector<Operand> operands;
  for (int i = 0; i < row.arity; ++i)
    operands.push_back(to_operand(given[i], names[i]));
  return to_python(released([&] { return elementwise(row.fn, operands); }));
}

nb::object call(const ElementwiseRow& row, const nb::args& given, const nb::kwargs& named) {
  if (row.fn == Fn::where && given.size() == 1) {
    UserCall scope(row.name);
    return call_nonzero(given, named);
  }
  return known_or_made(&row, given, named, [&] { return made(row, given, named); });
}

} // namespace

void bind_elementwise(nb::module_& module) {
  nb::list rows;
  for (const ElementwiseRow& row : kElementwiseRows) {
    std::string name(row.name), text = elementwise_doc(row.fn) + "\n\n" + documented(name);
    module.def(
        name.c_str(), [&row](nb::args given, nb::kwargs named) { return call(row, given, named); },
        nb::sig(("def " + signature(row)).c_str()), text.c_str());
    rows.append(nb::make_tuple(name.c_str(), row.arity, rule_name(row.operands), row.gives_boolean,
                               row.accuracy.f32, row.accuracy.f64));
  }
  bind(module, "nextafter", &nextafter);
  bind(module, "positive", &positive);
  // For tests: name, arity, which operands, whether the result is boolean, ulps in float32 and
  // float64.
  module.attr("_elementwise_rows") = nb::tuple(rows);
}

} // namespace kolam::python
