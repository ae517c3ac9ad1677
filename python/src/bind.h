/// One way to bind every public function: its name, parameters, defaults and words come from the header.
#pragma once

#include "convert.h"
#include "errors.h"
#include "parameters.h"

#include <tuple>
#include <utility>

namespace kolam::python {

/// What a public header says of a function; scripts/extract_docs.py writes the table of them.
struct Parameter {
  const char* name;
  const char* fallback; ///< the default as a Python expression, or null
};
struct Documented {
  const char* name; ///< qualified below `kolam`: `random::uniform`
  const char* text;
  std::vector<Parameter> parameters;
};

/// The entry of the function with that many parameters. Throws where the headers have none: the name is wrong.
const Documented& documented(std::string_view name, size_t parameters);

/// The arguments of a call, in order; defaults are filled in.
class Arguments {
public:
  explicit Arguments(const Documented& function);
  /// Throws `[call-mismatch]`: an unknown, missing or doubled argument.
  std::vector<nb::object> match(const nb::args& positional, const nb::kwargs& named) const;
  /// `matmul(x, y)`, for help().
  std::string signature() const;
  const std::string& name() const { return name_; }
  const char* parameter(size_t i) const { return function_->parameters[i].name; }

private:
  const Documented* function_;
  std::string name_;
  std::vector<nb::object> fallbacks_; ///< invalid where there is none
};

namespace detail {

template <class R> nb::object result_to_python(R result) {
  if constexpr (requires { to_python(std::move(result)); })
    return to_python(std::move(result));
  else if constexpr (requires { std::tuple_size<R>::value; })
    return std::apply(
        [](auto&... parts) { return nb::object(nb::make_tuple(result_to_python(std::move(parts))...)); },
        result);
  else if constexpr (requires { result.begin(); }) {
    nb::list list;
    for (auto& part : result)
      list.append(result_to_python(std::move(part)));
    return nb::tuple(list);
  } else
    return nb::cast(std::move(result));
}

template <class R, class... Args, size_t... i>
nb::object call(R (*function)(Args...), const Arguments& arguments, const nb::args& positional,
                const nb::kwargs& named, std::index_sequence<i...>) {
  UserCall scope(arguments.name());
  std::vector<nb::object> given = arguments.match(positional, named);
  // Braces: conversions run in order.
  std::tuple<FromPython<Args>...> converted{FromPython<Args>(given[i], arguments.parameter(i))...};
  if constexpr ((FromPython<Args>::kCallsPython || ...)) {
    return result_to_python(function(std::get<i>(converted).get()...));
  } else {
    return result_to_python(
        released([&] { return function(std::get<i>(converted).get()...); }));
  }
}

} // namespace detail

/// Binds `function` under the last part of `name`, as in bind(module, "random::uniform", &random::uniform).
template <class R, class... Args>
void bind(nb::module_& module, const char* name, R (*function)(Args...)) {
  auto* arguments = new Arguments(documented(name, sizeof...(Args))); // as long-lived as the module
  module.def(
      arguments->name().c_str(),
      [function, arguments](nb::args positional, nb::kwargs named) {
        return detail::call(function, *arguments, positional, named,
                            std::index_sequence_for<Args...>());
      },
      nb::sig(("def " + arguments->signature()).c_str()),
      documented(name, sizeof...(Args)).text);
}

} // namespace kolam::python
