// Binds symbols to sizes and checks arguments.
#include "kolam/ir/bind_sizes.h"

#include "kolam/ir/argument_names.h"
#include "kolam/support/error.h"

namespace kolam::ir {
namespace {

[[noreturn]] void fail_argument(ErrorKind kind, std::span<const Parameter> parameters,
                                size_t argument, const std::string& expected,
                                const std::string& actual) {
  const std::string& name = parameters[argument].name;
  fail(kind, "argument-mismatch",
       argument_text(name.empty() ? std::to_string(argument) : name) + ": expected " + expected +
           ", but got " + actual);
}

} // namespace

std::map<std::string, int64_t> bind_sizes(std::span<const Parameter> parameters,
                                          std::span<const Argument> arguments) {
  if (parameters.size() != arguments.size())
    fail(ErrorKind::type, "argument-mismatch",
         "expected " + std::to_string(parameters.size()) +
             (parameters.size() == 1 ? " argument" : " arguments") + ", but got " +
             std::to_string(arguments.size()));
  std::map<std::string, int64_t> sizes;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto& [dtype, shape, name_of_argument] = parameters[i];
    if (dtype != arguments[i].dtype)
      fail_argument(ErrorKind::type, parameters, i, "dtype " + std::string(name(dtype)),
                    std::string(name(arguments[i].dtype)));
    if (shape.size() != arguments[i].shape.size())
      fail_argument(ErrorKind::value, parameters, i, "rank " + std::to_string(shape.size()),
                    "rank " + std::to_string(arguments[i].shape.size()));
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (auto symbol = shape[dim].as_symbol())
        sizes.try_emplace(*symbol, arguments[i].shape[dim]);
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    for (size_t dim = 0; dim < parameters[i].shape.size(); ++dim) {
      const Extent& extent = parameters[i].shape[dim];
      int64_t actual = arguments[i].shape[dim];
      int64_t expected = extent.constant() ? *extent.constant() : extent.evaluate(sizes);
      if (expected != actual)
        fail_argument(ErrorKind::value, parameters, i,
                      "extent " + (extent.is_constant() ? "" : extent.to_string() + " = ") +
                          std::to_string(expected) + " in dim " + std::to_string(dim),
                      std::to_string(actual));
    }
  return sizes;
}

} // namespace kolam::ir
