// Finds, makes and judges the directory of the cache on disk.
#include "kolam/driver/cache_directory.h"

#include "kolam/support/warning.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kolam::driver {
namespace {

constexpr int64_t kDefaultMib = 256;

/// A variable of the environment; empty where unset, and for programs with more rights than their
/// user.
std::string variable(const char* name) {
  const char* text = secure_getenv(name);
  return text ? text : "";
}

std::string default_path() {
  if (std::string path = variable("KOLAM_CACHE_DIR"); !path.empty())
    return path;
  // The XDG base directory specification: relative paths do not count.
  if (std::string path = variable("XDG_CACHE_HOME"); path.starts_with('/'))
    return path + "/kolam";
  if (std::string path = variable("HOME"); path.starts_with('/'))
    return path + "/.cache/kolam";
  return "";
}

/// mkdir -p, for the user alone. False, with errno, where that fails.
bool make_directories(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST && slash == std::string::npos)
      return false;
    if (slash == std::string::npos)
      return true;
  }
}

} // namespace

CacheSettings cache_settings() {
  CacheSettings settings;
  auto refuse = [&](std::string reason, bool is_mistake) {
    settings.on = false;
    settings.reason = std::move(reason);
    settings.is_mistake = is_mistake;
    return settings;
  };
  std::string state = variable("KOLAM_CACHE");
  if (state == "off")
    return refuse("KOLAM_CACHE=off", false);
  if (!state.empty() && state != "on")
    return refuse("KOLAM_CACHE: expected 'on' or 'off', but got '" + state + "'", true);
  int64_t mib = kDefaultMib;
  if (std::string text = variable("KOLAM_CACHE_MIB"); !text.empty()) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mib);
    if (error != std::errc() || end != text.data() + text.size() || mib < 1 || mib > (1 << 30))
      return refuse("KOLAM_CACHE_MIB: expected a number of MiB, at least 1, but got '" + text + "'",
                    true);
  }
  settings.bytes = mib << 20;
  settings.path = default_path();
  if (settings.path.empty())
    return refuse("none of KOLAM_CACHE_DIR, XDG_CACHE_HOME and HOME names a directory", false);
  return settings;
}

CacheDirectory CacheDirectory::refuse(std::string reason, bool is_mistake) && {
  settings_.on = false;
  settings_.reason = std::move(reason);
  settings_.is_mistake = is_mistake;
  if (is_mistake && settings_.warns)
    warn(settings_.what + " is not kept on disk: " + settings_.reason);
  return std::move(*this);
}

CacheDirectory CacheDirectory::open(const CacheSettings& settings) {
  CacheDirectory directory(settings);
  if (!settings.on)
    return std::move(directory).refuse(settings.reason, settings.is_mistake);
  const std::string name = "'" + settings.path + "'";
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  directory.descriptor_ = ::open(settings.path.c_str(), kFlags);
  if (directory.descriptor_ < 0 && errno == ENOENT && make_directories(settings.path))
    directory.descriptor_ = ::open(settings.path.c_str(), kFlags);
  if (directory.descriptor_ < 0)
    return std::move(directory).refuse(name + ": " + std::strerror(errno), true);

  struct stat status = {};
  std::string problem;
  if (fstat(directory.descriptor_, &status) != 0)
    problem = std::strerror(errno);
  else if (status.st_uid != geteuid())
    problem = "it belongs to another user";
  else if (status.st_mode & (S_IWGRP | S_IWOTH))
    problem = "others may write it (chmod go-w makes it usable)";
  else if (faccessat(directory.descriptor_, ".", W_OK | X_OK, AT_EACCESS) != 0)
    problem = std::strerror(errno);
  if (problem.empty())
    return directory;
  close(std::exchange(directory.descriptor_, -1));
  return std::move(directory).refuse(name + ": " + problem, true);
}

CacheDirectory::~CacheDirectory() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

CacheDirectory::CacheDirectory(CacheDirectory&& other) noexcept
    : settings_(std::move(other.settings_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

} // namespace kolam::driver
