// The table of host functions.
#include "kolam/runtime/host_functions.h"

#include "kolam/support/error.h"

#include <map>
#include <mutex>

namespace kolam::runtime {
namespace {

/// Part of the compile cache: what cached programs refer to.
struct Table {
  std::mutex mutex;
  std::map<std::string, HostFunction> functions;
};

Table& table() {
  static Table* const table = new Table;
  return *table;
}

/// What the table holds stays where it is.
const HostFunction& find(const std::string& name) {
  std::lock_guard lock(table().mutex);
  auto found = table().functions.find(name);
  if (found == table().functions.end())
    fail(ErrorKind::value, "unknown-host-function",
         "expected a function registered by this process, but got '" + name + "'");
  return found->second;
}

std::string text_of(DType dtype, std::span<const int64_t> shape) {
  std::string text = std::string(kolam::name(dtype)) + "[";
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(shape[dim]);
  return text + "]";
}

} // namespace

std::string register_host_function(HostFunction function) {
  std::lock_guard lock(table().mutex);
  std::string name = "host" + std::to_string(table().functions.size());
  table().functions[name] = std::move(function);
  return name;
}

std::vector<Array> call_host_function(const std::string& name, std::span<const Array> inputs,
                                      std::span<const ArrayType> types) {
  const HostFunction& function = find(name);
  std::vector<Array> results;
  {
    CallbackScope the_users_own;
    results = function(inputs);
  }
  if (results.size() != types.size())
    fail(ErrorKind::value, "host-function-result",
         "expected " + std::to_string(types.size()) + " results from the function, but got " +
             std::to_string(results.size()));
  for (size_t i = 0; i < types.size(); ++i) {
    const auto& [dtype, shape] = types[i];
    if (results[i].dtype() != dtype || results[i].shape() != shape)
      fail(ErrorKind::value, "host-function-result",
           "expected result " + std::to_string(i) + " of the function to be " +
               text_of(dtype, shape) + ", but got " +
               text_of(results[i].dtype(), results[i].shape()));
  }
  return results;
}

} // namespace kolam::runtime
