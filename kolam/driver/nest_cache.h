/// Compiled nests by content, in memory and on disk: equal nests of any program, process and day
/// are compiled once.
#pragma once

#include "kolam/backend/table/backends.h"
#include "kolam/driver/disk_cache.h"
#include "kolam/nest/isolate.h"
#include "kolam/nest/schedule.h"

#include <map>
#include <optional>
#include <span>

namespace kolam::driver {

using CompiledNest = std::shared_ptr<const backend::LoadedNest>;

/// The hash of all that decides the code: the nest, without source lines; the backend and its
/// target; the build of the compiler; the schedule.
ContentKey nest_key(const nest::IsolatedNest& nest, const backend::Backend& backend,
                    const nest::Schedule& schedule);
/// The same under the schedule that the rules choose.
ContentKey nest_key(const nest::IsolatedNest& nest, const backend::Backend& backend);
/// The name of the nest's function in its code.
std::string nest_symbol(const ContentKey& key);

/// The nest of that key, where a program of this process uses it or its code lies on disk; else
/// null.
CompiledNest find_nest(const ContentKey& key, const backend::Backend& backend);
/// The nests of these keys, by key; nullopt where one is in neither place, which counts as not
/// asked for.
std::optional<std::map<ContentKey, CompiledNest>> find_all_nests(std::span<const ContentKey> keys,
                                                                 const backend::Backend& backend,
                                                                 const CacheDirectory& directory);
/// Loads code and keeps both.
CompiledNest keep_nest(const ContentKey& key, const std::string& bytes,
                       const backend::Backend& backend);

/// Where `find_nest` would find a nest.
enum class NestPlace : uint8_t { nowhere, memory, disk };
NestPlace place_of_nest(const ContentKey& key, const backend::Backend& backend);

/// What became of the nests that programs of this process asked for.
struct NestCounts {
  int64_t memory = 0;   ///< in use by another program
  int64_t disk = 0;     ///< loaded from disk
  int64_t compiled = 0; ///< in neither place
  int64_t damaged = 0;  ///< of the compiled: those whose entry on disk could not be used
};
NestCounts nest_counts();

/// The directory of code. Closed also where the backend's builds cannot be told apart.
CacheDirectory object_directory(const backend::Backend& backend = *backend::default_backend());

} // namespace kolam::driver
