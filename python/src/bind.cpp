// Matches the arguments of calls to the parameters that headers declare.
#include "bind.h"

#include <nanobind/eval.h>
#include <nanobind/stl/string.h>

namespace kolam::python {
namespace {

/// Written at build time from the public headers.
const std::vector<Documented>& table() {
  static const auto* const entries = new std::vector<Documented>{
#include "docstrings.inc"
  };
  return *entries;
}

} // namespace

const Documented& documented(std::string_view name, size_t parameters) {
  for (const Documented& entry : table())
    if (entry.name == name && entry.parameters.size() == parameters)
      return entry;
  throw nb::attribute_error(("no header declares " + std::string(name) + " with " +
                             std::to_string(parameters) + " parameters")
                                .c_str());
}

Arguments::Arguments(const Documented& function) : function_(&function) {
  std::string_view name = function.name;
  size_t colons = name.rfind("::");
  name_ = name.substr(colons == std::string_view::npos ? 0 : colons + 2);
  nb::dict scope;
  for (const Parameter& parameter : function.parameters)
    fallbacks_.push_back(parameter.fallback ? nb::eval(nb::str(parameter.fallback), scope)
                                            : nb::object());
}

std::string Arguments::signature() const {
  std::string text = name_ + "(";
  for (size_t i = 0; i < fallbacks_.size(); ++i) {
    text.append(i ? ", " : "").append(parameter(i));
    if (fallbacks_[i].is_valid())
      text.append("=").append(function_->parameters[i].fallback);
  }
  return text + ")";
}

std::vector<nb::object> Arguments::match(const nb::args& positional,
                                         const nb::kwargs& named) const {
  size_t count = function_->parameters.size();
  if (positional.size() > count)
    fail(ErrorKind::type, "call-mismatch",
         "expected " + signature() + ", but got " + std::to_string(positional.size()) +
             " arguments");
  std::vector<nb::object> given(count);
  for (size_t i = 0; i < positional.size(); ++i)
    given[i] = positional[i];
  for (auto [key, value] : named) {
    auto name = nb::cast<std::string>(key);
    size_t i = 0;
    while (i < count && name != parameter(i))
      ++i;
    if (i == count)
      fail(ErrorKind::type, "call-mismatch",
           "expected " + signature() + ", but got an argument '" + name + "'");
    if (given[i].is_valid())
      fail(ErrorKind::type, "call-mismatch",
           "expected " + signature() + ", but got '" + name + "' twice");
    given[i] = nb::borrow(value);
  }
  for (size_t i = 0; i < count; ++i) {
    if (!given[i].is_valid())
      given[i] = fallbacks_[i];
    if (!given[i].is_valid())
      fail(ErrorKind::type, "call-mismatch",
           "expected " + signature() + ", but got no '" + parameter(i) + "'");
  }
  return given;
}

} // namespace kolam::python
