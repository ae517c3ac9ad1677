/// One way to bind every public function: its name, parameters, defaults and words come from the
/// header.
#pragma once

#include "convert.h"
#include "errors.h"
#include "known_call.h"
#include "parameters.h"

#include <tuple>
#include <utility>

namespace kolam::python {

/// The parameters of a Python function, and how arguments match them.
class Parameters {
public:
  /// `name` is qualified below `kolam`, as in `random::uniform`; `signature` reads `x, axis=None`
  /// or `subscripts, *operands, dtype=None`, where what follows the star goes by name.
  Parameters(std::string_view name, std::string_view signature);
  /// The arguments in order, defaults filled in. Throws `[call-mismatch]`: an unknown, missing or
  /// doubled argument. Parameters of the array API that ask for nothing here (`device`, `copy`,
  /// `stable`) stand last, are checked, and reach no function.
  std::vector<nb::object> match(const nb::args& positional, const nb::kwargs& named) const;
  /// `sum(x, axis=None, keepdims=False)`.
  std::string signature() const { return name_ + "(" + text_ + ")"; }
  /// The function's own name.
  const std::string& name() const { return name_; }
  const char* parameter(size_t i) const { return names_[i].c_str(); }
  /// Whether the types of arrays and the values of all else decide what a call computes.
  bool decide_by_types() const { return decide_by_types_; }

private:
  std::string name_, text_;
  bool decide_by_types_;
  std::vector<std::string> names_;
  std::vector<nb::object> fallbacks_; ///< invalid where there is none
  std::optional<size_t> star_; ///< the parameter that takes all positional arguments from there on
};

/// While it lives, functions are bound for which the types of arrays, and the values of all other
/// arguments, decide what a call computes (known_call.h): they look at no element of an array.
class DecidedByTypes {
public:
  DecidedByTypes() { is_alive_ = true; }
  ~DecidedByTypes() { is_alive_ = false; }
  DecidedByTypes(const DecidedByTypes&) = delete;
  DecidedByTypes& operator=(const DecidedByTypes&) = delete;
  static bool is_alive() { return is_alive_; }

private:
  inline static bool is_alive_ = false;
};

/// The docstrings of the header's functions of that name, one after the other. Throws where there
/// are none: the name is wrong.
std::string docstring(std::string_view name);
/// What headers and the files of examples say of a function; empty where nothing.
std::string documented(std::string_view name);
/// `; write axis=` for the keyword `dim` of a function with these parameters; empty where no
/// library's word is known and none is near.
std::string keyword_hint(const std::string& keyword, const std::vector<std::string>& parameters);
/// The parameters that the header declares, as Parameters takes them.
std::string declared_signature(std::string_view name);

/// Tensors that Python has as a list, as the array API asks for it; others are a tuple.
struct ListOfTensors {
  std::vector<Tensor> tensors;
};
inline nb::object to_python(ListOfTensors list) { return to_list(list.tensors); }

namespace detail {

template <class R> nb::object result_to_python(R result) {
  if constexpr (std::is_base_of_v<nb::handle, R>)
    return std::move(result);
  else if constexpr (requires { to_python(std::move(result)); })
    return to_python(std::move(result));
  else if constexpr (requires { std::tuple_size<R>::value; })
    return std::apply(
        [](auto&... parts) {
          return nb::object(nb::make_tuple(result_to_python(std::move(parts))...));
        },
        result);
  else if constexpr (requires { result.begin(); }) {
    nb::list list;
    for (auto& part : result)
      list.append(result_to_python(std::move(part)));
    return nb::tuple(list);
  } else
    return nb::cast(std::move(result));
}

template <class... Args, class F, size_t... i>
nb::object made(const F& function, const Parameters& parameters, const nb::args& positional,
                const nb::kwargs& named, std::index_sequence<i...>) {
  UserCall scope(parameters.name());
  std::vector<nb::object> given = parameters.match(positional, named);
  given.resize(sizeof...(Args)); // the user's line, which C++ passes as a last argument
  // Braces: conversions run in order.
  std::tuple<FromPython<Args>...> converted{FromPython<Args>(given[i], parameters.parameter(i))...};
  if constexpr ((FromPython<Args>::kCallsPython || ...)) {
    return result_to_python(function(std::get<i>(converted).get()...));
  } else {
    return result_to_python(released([&] { return function(std::get<i>(converted).get()...); }));
  }
}

template <class... Args, class F>
nb::object call(const F& function, const Parameters& parameters, const nb::args& positional,
                const nb::kwargs& named) {
  auto make = [&] {
    return made<Args...>(function, parameters, positional, named,
                         std::index_sequence_for<Args...>());
  };
  return parameters.decide_by_types() ? known_or_made(&parameters, positional, named, make)
                                      : make();
}

template <class... Args, class F>
void define(nb::module_& module, const char* name, std::string_view signature, const F& function) {
  auto* parameters = new Parameters(name, signature); // as long-lived as the module
  module.def(
      parameters->name().c_str(),
      [function, parameters](nb::args positional, nb::kwargs named) {
        return call<Args...>(function, *parameters, positional, named);
      },
      nb::sig(("def " + parameters->signature()).c_str()), docstring(name).c_str());
}

template <class F> struct CallOperator;
template <class F, class R, class... Args> struct CallOperator<R (F::*)(Args...) const> {
  static void define(nb::module_& module, const char* name, const char* signature, const F& f) {
    detail::define<Args...>(module, name, signature, f);
  }
};

} // namespace detail

/// Binds a function with the parameters that its header declares, under the last part of its name,
/// as in bind(module, "random::uniform", &random::uniform).
template <class R, class... Args>
void bind(nb::module_& module, const char* name, R (*function)(Args...)) {
  detail::define<Args...>(module, name, declared_signature(name), function);
}

/// The same with parameters that ask for nothing here: `device=None`.
template <class R, class... Args>
void bind(nb::module_& module, const char* name, R (*function)(Args...), std::string_view idle) {
  detail::define<Args...>(module, name, declared_signature(name) + ", " + std::string(idle),
                          function);
}

/// Binds a lambda that calls a function, or one of several overloads, under a signature of Python's
/// own.
template <class F>
void bind(nb::module_& module, const char* name, const char* signature, const F& function) {
  detail::CallOperator<decltype(&F::operator())>::define(module, name, signature, function);
}

} // namespace kolam::python
