/// Warnings of the library (support/warning.h) as Python's.
#pragma once

namespace kolam::python {

/// From now on warnings wait here until somebody holds the interpreter's lock.
void collect_warnings();

/// Whether some wait.
bool has_warnings() noexcept;

/// Gives them to `warnings.warn` as RuntimeWarning, at the user's line. Throws where Python's
/// filters make errors of them.
void give_warnings();
/// The same where nothing may be thrown: Python tells such an error as it does one of a destructor.
void give_warnings_quietly() noexcept;

} // namespace kolam::python
