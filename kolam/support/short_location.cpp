// Leaves out the folder of a file.
#include "kolam/support/short_location.h"

namespace kolam {

std::string short_location(const SourceLocation& where) {
  return where ? where.file.substr(where.file.rfind('/') + 1) + ":" + std::to_string(where.line)
               : "";
}

} // namespace kolam
