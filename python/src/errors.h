/// Errors as Python exceptions, and the user's line that they name.
#pragma once

#include "kolam/support/error.h"

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace kolam::python {

namespace nb = nanobind;

/// Turns every kolam::Error into a kolam.KolamError with the attributes `slug` and `where`.
void bind_errors(nb::module_& module);

/// The innermost Python frame that lies outside the package.
SourceLocation user_line();

struct Caller;

/// Names the public function that is running and the user's line, unless a call is running already.
/// In a trace the calls that one function of the package makes are one call of the user.
class UserCall {
public:
  explicit UserCall(std::string_view function);

private:
  UserCall(std::string_view function, const Caller& caller);

  CallScope scope_;
};

/// Lets go of the function of the package that was traced last.
void forget_traced_call();

/// `argument 'x': `; empty for no name.
std::string argument_prefix(std::string_view argument);

/// Throws "argument 'axis': expected an integer, but got 1.5".
[[noreturn]] void fail_argument(ErrorKind kind, std::string_view slug, std::string_view argument,
                                std::string_view expected, nb::handle actual);

/// Throws `[not-an-array]` for an argument whose method `protocol` raised, with its words.
/// KeyboardInterrupt, whatever else is no Exception, and errors of Kolam pass as they are.
[[noreturn]] void fail_protocol(nb::python_error& raised, std::string_view argument,
                                const char* protocol);

/// Forgets the error of Python that is set, which our own words replace. KeyboardInterrupt and
/// whatever else is no Exception are thrown.
void forget_error();

/// `'clip'`, `1.5`, `a list`: how messages show a Python object, in one short line.
std::string describe(nb::handle object);

} // namespace kolam::python
