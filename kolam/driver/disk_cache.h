/// Entries of the cache on disk: bytes under the hash of all that they depend on.
#pragma once

#include "kolam/driver/cache_directory.h"

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kolam::driver {

/// BLAKE3 of what an entry depends on.
using ContentKey = std::array<uint8_t, 32>;
/// The hash of the parts and their lengths.
ContentKey content_key(std::initializer_list<std::string_view> parts);
ContentKey content_key(std::span<const std::string_view> parts);
/// 64 hexadecimal digits.
std::string to_string(const ContentKey& key);

/// Kinds of entries: compiled nests, what tuning measured, and results of tasks.
enum class Shelf : uint8_t { objects, schedules, results };

/// What lies under a key. A damaged entry (cut off, changed, of another format or key, or of
/// another owner) counts as none.
struct FoundEntry {
  std::optional<std::string> bytes;
  bool is_damaged = false;
};
FoundEntry find_entry(const CacheDirectory& directory, Shelf shelf, const ContentKey& key);

/// Puts an entry in place of the one that lies there, at once or not at all: readers, of other
/// processes too, see the old one or the new one. The entries used least recently go where all
/// take more than the settings allow. False where the disk refuses, or where the entry is larger
/// than a sixteenth of what is allowed, of results than all of it.
bool keep_entry(const CacheDirectory& directory, Shelf shelf, const ContentKey& key,
                std::string_view bytes);

/// How much lies on a shelf.
struct ShelfUsage {
  int64_t entries = 0, bytes = 0;
};
ShelfUsage usage_of(const CacheDirectory& directory, Shelf shelf);
void clear(const CacheDirectory& directory, Shelf shelf);

} // namespace kolam::driver
