/// Machine code in memory: links an object file into the process.
#pragma once

#include "kolam/support/abi.h"

#include <memory>
#include <string>

namespace kolam::backend::cpu {

/// A nest function that can be called as long as this lives.
class LoadedNest {
public:
  abi::NestFunction function() const { return function_; }
  /// Links `object`, whose nest function is `symbol`. Throws `[internal]`.
  static std::shared_ptr<const LoadedNest> load(const std::string& object,
                                                const std::string& symbol);
  ~LoadedNest();
  LoadedNest(const LoadedNest&) = delete;
  LoadedNest& operator=(const LoadedNest&) = delete;

private:
  struct Handle;
  LoadedNest(abi::NestFunction function, std::unique_ptr<Handle> handle);
  abi::NestFunction function_;
  std::unique_ptr<Handle> handle_;
};

} // namespace kolam::backend::cpu
