// Keeps compiled nests by the text of their lowered code.
#include "kolam/driver/nest_cache.h"

#include "kolam/backend/cpu/compile.h"
#include "kolam/lower/lower.h"
#include "kolam/support/error.h"

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

std::shared_ptr<const backend::cpu::LoadedNest> compile_nest(const nest::Nest& nest,
                                                             const backend::cpu::Target& target) {
  auto module = lower::lower_nest(nest, target.has_fma);
  std::string key = target.cpu + "\n" + target.features + "\n";
  llvm::raw_string_ostream stream(key);
  module->print(stream, mlir::OpPrintingFlags().useLocalScope());

  std::string symbol;
  {
    std::lock_guard lock(cache().mutex);
    if (auto found = cache().nests.find(key); found != cache().nests.end())
      if (auto loaded = found->second.lock())
        return loaded;
    symbol = "kolam_nest_" + std::to_string(cache().made++);
  }
  KOLAM_CHECK(lower::to_llvm(*module));
  auto loaded =
      backend::cpu::LoadedNest::load(backend::cpu::compile_object(*module, target, symbol), symbol);
  std::lock_guard lock(cache().mutex);
  cache().nests[key] = loaded;
  return loaded;
}

} // namespace kolam::driver
