/// Parts of texts in graphviz's language.
#pragma once

#include <string>

namespace kolam::driver {

/// A label: in quotes, with line breaks as \n.
std::string quoted(const std::string& text);

} // namespace kolam::driver
