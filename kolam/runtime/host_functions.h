/// Functions of the process that programs may call by name.
#pragma once

#include "kolam/runtime/array.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kolam::runtime {

/// Arrays in, arrays out. May be called from any thread that runs a program.
using HostFunction = std::function<std::vector<Array>(std::span<const Array>)>;

struct ArrayType {
  DType dtype;
  std::vector<int64_t> shape;
};

/// Keeps `function` for the life of the process, since compiled programs may call it until then,
/// and gives the name under which they do.
std::string register_host_function(HostFunction function);

/// Calls a registered function. Throws `[unknown-host-function]`, `[host-function-result]` where
/// what it gives differs from `types`, and what the function throws.
std::vector<Array> call_host_function(const std::string& name, std::span<const Array> inputs,
                                      std::span<const ArrayType> types);

} // namespace kolam::runtime
