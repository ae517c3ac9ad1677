/// Warnings: what goes on in another way than the user asked for.
#pragma once

#include <string>

namespace kolam {

/// Tells the user, once a process for each text: "KOLAM_NUM_THREADS: expected ..., but got 'abc'".
/// Where nobody has set a sink, as `kolam: warning: ...` on the standard error output.
void warn(const std::string& text) noexcept;

/// From now on `sink` gets what `warn` tells, from any thread; null: the standard error output.
void set_warning_sink(void (*sink)(const std::string& text)) noexcept;

} // namespace kolam
