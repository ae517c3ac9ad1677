/// The error of a failed check, the same on every backend.
#pragma once

#include "kolam/support/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kolam::interp {

/// `[slug] message (place)`; an IndexError where the slug is about indices.
Error check_error(const std::string& slug, const std::string& message, const std::string& place,
                  const SourceLocation& where);

/// The message with the name of the user's function, unless it is the one that is running, which
/// errors name anyway.
std::string said_of(std::string_view function, const std::string& message);

/// "first at row-major index 3": where a check of several elements failed.
std::string first_at(int64_t index);

/// "at [2][0]": in the function of element 0 of element 2 (`Evaluation::path`).
std::string at_path(const std::vector<int64_t>& path);

} // namespace kolam::interp
