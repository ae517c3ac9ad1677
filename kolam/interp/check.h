/// The words of a failed check.
#pragma once

#include <cstdint>
#include <string>

namespace kolam::interp {

/// The check's message with the place where it failed.
std::string check_message(const std::string& message, int64_t index);

} // namespace kolam::interp
