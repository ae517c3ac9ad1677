/// Programs that lie in this folder.
#pragma once

#include "kolam/driver/parse.h"

#include <fstream>
#include <sstream>

namespace kolam::test {

/// The program in a file of this folder.
inline driver::Module program(const std::string& name) {
  std::ifstream file(std::string(KOLAM_PROGRAM_DIR) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return std::move(driver::parse(text.str(), name).program);
}

} // namespace kolam::test
