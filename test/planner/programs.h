/// The programs of programs.txt: every op, for tests that cut or rewrite it.
#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace kolam {

/// Names and texts: each text stands behind a line with its name.
inline std::vector<std::pair<std::string, std::string>> programs() {
  std::ifstream in(KOLAM_PROGRAMS);
  std::vector<std::pair<std::string, std::string>> all;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("// "))
      all.emplace_back(line.substr(3), "");
    else
      all.back().second += line + "\n";
  return all;
}

} // namespace kolam
