// Looks at the cache of compiled nests.
#include "kolam/frontend/array/cache.h"

#include "kolam/driver/nest_cache.h"

namespace kolam {

CacheInfo cache_info() {
  CacheInfo info;
  driver::CacheDirectory directory = driver::object_directory();
  info.reason = directory.reason();
  if (directory.is_open()) {
    info.directory = directory.settings().path;
    info.allowed_bytes = directory.settings().bytes;
    driver::ShelfUsage usage = driver::usage_of(directory, driver::Shelf::objects);
    info.entries = usage.entries;
    info.bytes = usage.bytes;
  }
  driver::NestCounts counts = driver::nest_counts();
  info.shared = counts.memory;
  info.loaded = counts.disk;
  info.compiled = counts.compiled;
  info.damaged = counts.damaged;
  return info;
}

void clear_cache() { driver::clear(driver::object_directory(), driver::Shelf::objects); }

} // namespace kolam
