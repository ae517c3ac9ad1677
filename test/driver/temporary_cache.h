/// A cache directory for the time of a test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace kolam::driver {

/// Makes an empty directory the cache on disk of this process; removes it at the end and turns the
/// cache off again.
class TemporaryCache {
public:
  TemporaryCache() {
    std::string pattern = std::filesystem::temp_directory_path() / "kolam-cache-XXXXXX";
    if (!mkdtemp(pattern.data()))
      std::abort();
    root_ = pattern;
    setenv("KOLAM_CACHE", "on", 1);
    setenv("KOLAM_CACHE_DIR", path().c_str(), 1);
  }
  ~TemporaryCache() {
    setenv("KOLAM_CACHE", "off", 1);
    unsetenv("KOLAM_CACHE_DIR");
    unsetenv("KOLAM_CACHE_MIB");
    std::filesystem::remove_all(root_);
  }
  TemporaryCache(const TemporaryCache&) = delete;
  TemporaryCache& operator=(const TemporaryCache&) = delete;

  std::filesystem::path path() const { return root_ / "made" / "on demand"; }

  /// Every file in it.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    if (std::filesystem::exists(path()))
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path()))
        if (entry.is_regular_file())
          found.push_back(entry.path());
    return found;
  }

private:
  std::filesystem::path root_;
};

} // namespace kolam::driver
