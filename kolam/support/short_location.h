/// Lines of the user as reports show them.
#pragma once

#include "kolam/support/error.h"

#include <string>

namespace kolam {

/// `model.py:10`, without the folder; empty where the line is not known.
std::string short_location(const SourceLocation& where);

} // namespace kolam
