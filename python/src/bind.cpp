// Matches the arguments of calls to the parameters that headers declare.
#include "bind.h"

#include <nanobind/eval.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace kolam::python {
namespace {

/// What a public header says of a function.
struct Documented {
  std::string_view name;
  std::string_view text;
  std::string_view parameters;
};

/// Written at build time by scripts/extract_docs.py.
constexpr Documented kDocumented[] = {
#include "docstrings.inc"
};

nb::builtin_exception unknown(std::string_view name) {
  return nb::attribute_error(("no public header declares " + std::string(name)).c_str());
}

/// Parts between commas that lie outside of brackets and quotes.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (char c : text) {
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (c == ',' && depth == 0)
      parts.push_back(std::exchange(part, {}));
    else if (c != ' ')
      part += c;
  }
  if (!part.empty())
    parts.push_back(part);
  return parts;
}

} // namespace

std::string documented(std::string_view name) {
  std::string text;
  for (const Documented& entry : kDocumented)
    // Overloads below one comment share it.
    if (entry.name == name && text.find(entry.text) == text.npos)
      text.append(text.empty() ? "" : "\n\n").append(entry.text);
  return text;
}

std::string docstring(std::string_view name) {
  std::string text = documented(name);
  if (text.empty())
    throw unknown(name);
  return text;
}

std::string declared_signature(std::string_view name) {
  for (const Documented& entry : kDocumented)
    if (entry.name == name)
      return std::string(entry.parameters);
  throw unknown(name);
}

std::string keyword_hint(const std::string& keyword, const std::vector<std::string>& parameters) {
  nb::object ask = nb::module_::import_("kolam._hints").attr("keyword_hint");
  auto words = nb::cast<std::string>(ask(keyword, parameters));
  return words.empty() ? words : "; " + words;
}

Parameters::Parameters(std::string_view name, std::string_view signature)
    : text_(signature), decide_by_types_(DecidedByTypes::is_alive()) {
  size_t colons = name.rfind("::");
  name_ = name.substr(colons == std::string_view::npos ? 0 : colons + 2);
  nb::dict scope;
  for (const std::string& part : split(signature)) {
    size_t equals = part.find('=');
    if (part[0] == '*')
      star_ = names_.size();
    names_.push_back(part.substr(part[0] == '*', equals));
    fallbacks_.push_back(equals == std::string::npos
                             ? nb::object()
                             : nb::eval(nb::str(part.substr(equals + 1).c_str()), scope));
  }
}

namespace {

/// Checks what is given for a parameter that asks for nothing here: there is one device, an array
/// never changes, so that nobody sees whether memory is shared, and sorting is stable.
void check_idle(const std::string& name, nb::handle given) {
  if (name == "device")
    require_cpu(given);
  else if (name == "copy" && !given.is_none() && !PyBool_Check(given.ptr()))
    fail_argument(ErrorKind::type, "argument-type", name, "True, False or None", given);
  else if (name == "stable" && !PyBool_Check(given.ptr()))
    fail_argument(ErrorKind::type, "argument-type", name, "True or False", given);
}

} // namespace

std::vector<nb::object> Parameters::match(const nb::args& positional,
                                          const nb::kwargs& named) const {
  std::string expected = "expected " + signature() + ", but got ";
  size_t count = names_.size();
  size_t places = star_.value_or(count);
  if (positional.size() > places && !star_)
    fail(ErrorKind::type, "call-mismatch",
         expected + std::to_string(positional.size()) + " arguments");
  std::vector<nb::object> given(count);
  for (size_t i = 0; i < std::min(places, positional.size()); ++i)
    given[i] = positional[i];
  if (star_) {
    nb::list rest;
    for (size_t i = places; i < positional.size(); ++i)
      rest.append(positional[i]);
    given[places] = std::move(rest);
  }
  for (auto [key, value] : named) {
    std::string name = FromPython<std::string>(key, "name of an argument").get();
    size_t i = std::find(names_.begin(), names_.end(), name) - names_.begin();
    if (i == count)
      fail(ErrorKind::type, "call-mismatch",
           expected + "an argument '" + name + "'" + keyword_hint(name, names_));
    if (given[i].is_valid())
      fail(ErrorKind::type, "call-mismatch", expected + "'" + name + "' twice");
    given[i] = nb::borrow(value);
  }
  for (size_t i = 0; i < count; ++i) {
    // NumPy takes None for its own default dtype, which is another.
    if (!given[i].is_valid() || (names_[i] == "dtype" && given[i].is_none() && fallbacks_[i]))
      given[i] = fallbacks_[i];
    if (!given[i].is_valid())
      fail(ErrorKind::type, "call-mismatch", expected + "no '" + names_[i] + "'");
    check_idle(names_[i], given[i]);
  }
  return given;
}

} // namespace kolam::python
