/// The error of a failed check, the same on every backend.
#pragma once

#include "kolam/support/error.h"

#include <cstdint>
#include <string>

namespace kolam::interp {

/// `[slug] message (first at row-major index i)`; an IndexError where the slug is about indices.
Error check_error(const std::string& slug, const std::string& message, int64_t index,
                  const SourceLocation& where);

} // namespace kolam::interp
