// Words of command lines, and files that they name.
#pragma once

#include "kolam/kolam.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

[[noreturn]] inline void fail_usage(const std::string& message) {
  throw kolam::Error(kolam::ErrorKind::value, "usage", message);
}

/// The word behind an option at `i`, to which `i` moves.
inline std::string value_of_option(const std::vector<std::string>& words, size_t& i) {
  if (i + 1 == words.size())
    fail_usage(words[i] + ": expected a value, but got none");
  return words[++i];
}

[[noreturn]] inline void fail_file(const char* slug, const std::string& what,
                                   const std::string& path,
                                   const std::string& reason = std::strerror(errno)) {
  throw kolam::Error(kolam::ErrorKind::io, slug, what + " '" + path + "': " + reason);
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
    fail_file("io-read", "cannot read", path);
  return text.str();
}

inline kolam::Program read_program(const std::string& path) {
  return kolam::parse_program(read_text(path), path);
}
