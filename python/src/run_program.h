/// Running programs from Python, and what calls of jitted functions pass to them.
#pragma once

#include "convert.h"
#include "errors.h"

namespace kolam::python {

/// Throws `[unknown-backend]`.
Backend backend_from(const std::string& name);

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

/// Runs while other Python threads may run too; Ctrl-C stops it. Leaves `arrays` empty.
std::vector<Array> run_program(const Program& program, std::vector<Array>& arrays, Backend on);

/// A Python int or float at full width; nullopt for anything else.
std::optional<Array> wide_scalar(nb::handle object);

/// The dtypes that hold a Python int or float, as a text.
std::string fitting_dtypes(const Array& wide, const Operand& scalar);

} // namespace kolam::python
