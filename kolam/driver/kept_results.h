/// Results of tasks, kept by what they are computed from.
#pragma once

#include "kolam/driver/disk_cache.h"
#include "kolam/runtime/array.h"

#include <list>
#include <map>
#include <mutex>
#include <span>

namespace kolam::driver {

using runtime::Array;

/// The hash of a piece's text, of its offsets, and of the elements of the boxes that it reads; and
/// of the build and the target, whose code gives the bits.
ContentKey result_key(std::string_view text, std::span<const int64_t> offsets,
                      std::span<const Array> reads);

/// What has been computed, up to a number of bytes; what was used least recently goes. May be used
/// by several threads.
class KeptResults {
public:
  struct Usage {
    int64_t hits = 0, misses = 0;
    int64_t entries = 0, bytes = 0; ///< in memory
  };

  /// At most `bytes` in memory, and, where there is a directory, as many again on disk. Throws
  /// `[io-write]` where the directory can't be had, or is not safe to use.
  explicit KeptResults(int64_t bytes, const std::string& directory = {});

  std::optional<std::vector<Array>> find(const ContentKey& key);
  void keep(const ContentKey& key, const std::vector<Array>& results);
  /// What `compute` gives, or gave before.
  template <class F>
  std::vector<Array> found_or(const ContentKey& key, bool& is_found, const F& compute) {
    if (std::optional<std::vector<Array>> known = find(key)) {
      is_found = true;
      return std::move(*known);
    }
    std::vector<Array> results = compute();
    keep(key, results);
    return results;
  }
  Usage usage() const;

private:
  struct Entry {
    ContentKey key;
    std::vector<Array> results;
    int64_t bytes;
  };
  void keep_in_memory(const ContentKey& key, std::vector<Array> results);

  int64_t allowed_;
  std::optional<CacheDirectory> directory_;
  mutable std::mutex mutex_; ///< guards what follows
  std::list<Entry> entries_; ///< used least recently last
  std::map<ContentKey, std::list<Entry>::iterator> by_key_;
  Usage usage_;
};

} // namespace kolam::driver
