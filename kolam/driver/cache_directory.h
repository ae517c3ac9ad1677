/// The directory in which compiled code is kept from one process to the next.
#pragma once

#include <cstdint>
#include <string>

namespace kolam::driver {

/// What the environment says of the cache on disk, read at each use.
struct CacheSettings {
  bool on = true;
  std::string path;  ///< of the directory, which need not exist
  int64_t bytes = 0; ///< how much the entries may take
  /// Why there is no cache: it is off, or a variable cannot be understood. Empty otherwise.
  std::string reason;
  bool is_mistake = false;            ///< the reason is none that the user asked for
  std::string what = "compiled code"; ///< that is kept there, for warnings
  bool warns = true;                  ///< of a directory that is not used
};

/// KOLAM_CACHE ("on" or "off"); KOLAM_CACHE_DIR, else kolam in XDG_CACHE_HOME, else ~/.cache/kolam;
/// KOLAM_CACHE_MIB, else 256.
CacheSettings cache_settings();

/// The directory, open, or the reason why it is not used. Its entries are code that runs with the
/// user's rights: a directory that others own or may write is refused, with a warning (once a
/// process). Holds a descriptor, so that a path that changes meanwhile changes nothing.
class CacheDirectory {
public:
  /// Opens the directory of the settings; makes it, for the user alone, where it does not exist.
  static CacheDirectory open(const CacheSettings& settings = cache_settings());
  ~CacheDirectory();
  CacheDirectory(CacheDirectory&& other) noexcept;
  CacheDirectory& operator=(CacheDirectory&&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  const CacheSettings& settings() const { return settings_; }
  /// Why it is not open; else empty.
  const std::string& reason() const { return settings_.reason; }

private:
  explicit CacheDirectory(CacheSettings settings) : settings_(std::move(settings)) {}
  CacheDirectory refuse(std::string reason, bool is_mistake) &&;

  CacheSettings settings_;
  int descriptor_ = -1;
};

} // namespace kolam::driver
