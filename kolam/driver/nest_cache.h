/// Compiled nests by content, in memory and on disk: equal nests of any program, process and day
/// are compiled once.
#pragma once

#include "kolam/backend/cpu/load.h"
#include "kolam/backend/cpu/target.h"
#include "kolam/driver/disk_cache.h"
#include "kolam/nest/isolate.h"
#include "kolam/nest/schedule.h"

namespace kolam::driver {

using CompiledNest = std::shared_ptr<const backend::cpu::LoadedNest>;

/// The hash of all that decides the code: the nest, without source lines; the target; the build of
/// the compiler; the schedule.
ContentKey nest_key(const nest::IsolatedNest& nest, const backend::cpu::Target& target,
                    const nest::Schedule& schedule);
/// The same under the schedule that the rules choose.
ContentKey nest_key(const nest::IsolatedNest& nest, const backend::cpu::Target& target);
/// The name of the nest's function in its object.
std::string nest_symbol(const ContentKey& key);

/// The nest of that key, where a program of this process uses it or an object lies on disk; else
/// null.
CompiledNest find_nest(const ContentKey& key);
/// Loads an object file and keeps both.
CompiledNest keep_nest(const ContentKey& key, const std::string& object);

/// Where `find_nest` would find a nest.
enum class NestPlace : uint8_t { nowhere, memory, disk };
NestPlace place_of_nest(const ContentKey& key);

/// What became of the nests that programs of this process asked for.
struct NestCounts {
  int64_t memory = 0;   ///< in use by another program
  int64_t disk = 0;     ///< loaded from disk
  int64_t compiled = 0; ///< in neither place
  int64_t damaged = 0;  ///< of the compiled: those whose entry on disk could not be used
};
NestCounts nest_counts();

/// The directory of objects. Closed also where builds cannot be told apart.
CacheDirectory object_directory();

} // namespace kolam::driver
