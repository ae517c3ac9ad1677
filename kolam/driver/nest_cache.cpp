// Keeps compiled nests by the hash of what they are made of.
#include "kolam/driver/nest_cache.h"

#include "kolam/nest/schedule_choice.h"
#include "kolam/support/error.h"

#include <cstring>
#include <mutex>
#include <unordered_map>

namespace kolam::driver {
namespace {

struct KeyHash {
  size_t operator()(const ContentKey& key) const {
    size_t hash = 0;
    std::memcpy(&hash, key.data(), sizeof hash);
    return hash;
  }
};

/// Named by the style rules: the compile cache. Nests die with the last program that uses them.
class NestsInMemory {
public:
  CompiledNest find(const ContentKey& key) {
    std::lock_guard lock(mutex_);
    auto found = nests_.find(key);
    return found == nests_.end() ? nullptr : found->second.lock();
  }
  /// What is kept under the key from now on: the nest, or the one that another thread was faster
  /// with.
  CompiledNest keep(const ContentKey& key, const CompiledNest& nest) {
    std::lock_guard lock(mutex_);
    if (nests_.size() >= sweep_at_) {
      std::erase_if(nests_, [](const auto& entry) { return entry.second.expired(); });
      sweep_at_ = 2 * nests_.size() + kSweep;
    }
    auto& kept = nests_[key];
    if (CompiledNest earlier = kept.lock())
      return earlier;
    kept = nest;
    return nest;
  }
  void count(int64_t NestCounts::* what) {
    std::lock_guard lock(mutex_);
    ++(counts_.*what);
  }
  NestCounts counts() {
    std::lock_guard lock(mutex_);
    return counts_;
  }

private:
  static constexpr size_t kSweep = 256;
  std::mutex mutex_;
  std::unordered_map<ContentKey, std::weak_ptr<const backend::LoadedNest>, KeyHash> nests_;
  size_t sweep_at_ = kSweep; ///< entries at which those of dead nests go
  NestCounts counts_;
};

NestsInMemory& memory() {
  static NestsInMemory* const memory = new NestsInMemory;
  return *memory;
}

/// The nest of an entry on disk; null where it cannot be linked.
CompiledNest load(const ContentKey& key, const std::string& bytes,
                  const backend::Backend& backend) {
  try {
    return backend.load(bytes, nest_symbol(key));
  } catch (const Error&) {
    return nullptr;
  }
}

/// What a look for a nest has found, and how that counts.
struct FoundNest {
  CompiledNest nest; ///< null where there is none
  int64_t NestCounts::* place = &NestCounts::compiled;
  bool is_damaged = false;
};

FoundNest look_for(const ContentKey& key, const backend::Backend& backend,
                   const CacheDirectory& directory) {
  FoundEntry entry = find_entry(directory, Shelf::objects, key);
  if (CompiledNest loaded = entry.bytes ? load(key, *entry.bytes, backend) : nullptr)
    return {memory().keep(key, loaded), &NestCounts::disk};
  return {nullptr, &NestCounts::compiled, entry.bytes || entry.is_damaged};
}

} // namespace

ContentKey nest_key(const nest::IsolatedNest& nest, const backend::Backend& backend,
                    const nest::Schedule& schedule) {
  return content_key({backend.build(), std::string(backend.name()), backend.target(),
                      nest::to_string(schedule), nest.content});
}

ContentKey nest_key(const nest::IsolatedNest& nest, const backend::Backend& backend) {
  return nest_key(nest, backend, nest::choose_schedule(nest.nest, backend.machine()));
}

std::string nest_symbol(const ContentKey& key) {
  return "kolam_nest_" + to_string(key).substr(0, 16);
}

CacheDirectory object_directory(const backend::Backend& backend) {
  CacheSettings settings = cache_settings();
  if (settings.on && backend.build().empty()) {
    settings.on = false;
    settings.reason = "the libraries have no build ids (link with --build-id)";
  }
  return CacheDirectory::open(settings);
}

CompiledNest find_nest(const ContentKey& key, const backend::Backend& backend) {
  if (CompiledNest found = memory().find(key)) {
    memory().count(&NestCounts::memory);
    return found;
  }
  FoundNest found = look_for(key, backend, object_directory(backend));
  memory().count(found.place);
  if (found.is_damaged)
    memory().count(&NestCounts::damaged);
  return found.nest;
}

std::optional<std::map<ContentKey, CompiledNest>> find_all_nests(std::span<const ContentKey> keys,
                                                                 const backend::Backend& backend,
                                                                 const CacheDirectory& directory) {
  std::map<ContentKey, CompiledNest> nests;
  std::vector<int64_t NestCounts::*> places;
  for (const ContentKey& key : keys) {
    auto [found, is_first] = nests.try_emplace(key);
    if (!is_first)
      continue;
    found->second = memory().find(key);
    places.push_back(&NestCounts::memory);
    if (found->second)
      continue;
    FoundNest loaded = look_for(key, backend, directory);
    if (!loaded.nest)
      return std::nullopt;
    found->second = std::move(loaded.nest);
    places.back() = loaded.place;
  }
  for (int64_t NestCounts::* place : places)
    memory().count(place);
  return nests;
}

CompiledNest keep_nest(const ContentKey& key, const std::string& bytes,
                       const backend::Backend& backend) {
  keep_entry(object_directory(backend), Shelf::objects, key, bytes);
  return memory().keep(key, backend.load(bytes, nest_symbol(key)));
}

NestPlace place_of_nest(const ContentKey& key, const backend::Backend& backend) {
  if (memory().find(key))
    return NestPlace::memory;
  return find_entry(object_directory(backend), Shelf::objects, key).bytes ? NestPlace::disk
                                                                          : NestPlace::nowhere;
}

NestCounts nest_counts() { return memory().counts(); }

} // namespace kolam::driver
