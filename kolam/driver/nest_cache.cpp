// Keeps compiled nests by the text of their lowered code.
#include "kolam/driver/nest_cache.h"

#include <mutex>
#include <unordered_map>

namespace kolam::driver {
namespace {

/// Named by the style rules: the compile cache. Entries die with the last program that uses them.
struct Cache {
  std::mutex mutex;
  std::unordered_map<std::string, std::weak_ptr<const backend::cpu::LoadedNest>> nests;
  int64_t made = 0;
};

Cache& cache() {
  static Cache* const cache = new Cache;
  return *cache;
}

} // namespace

std::string nest_key(mlir::ModuleOp lowered, const backend::cpu::Target& target) {
  std::string key = target.cpu + "\n" + target.features + "\n";
  llvm::raw_string_ostream stream(key);
  lowered.print(stream, mlir::OpPrintingFlags().useLocalScope());
  return key;
}

std::shared_ptr<const backend::cpu::LoadedNest> find_nest(const std::string& key) {
  std::lock_guard lock(cache().mutex);
  auto found = cache().nests.find(key);
  return found == cache().nests.end() ? nullptr : found->second.lock();
}

void keep_nest(const std::string& key,
               const std::shared_ptr<const backend::cpu::LoadedNest>& nest) {
  std::lock_guard lock(cache().mutex);
  cache().nests[key] = nest;
}

std::string new_nest_symbol() {
  std::lock_guard lock(cache().mutex);
  return "kolam_nest_" + std::to_string(cache().made++);
}

} // namespace kolam::driver
