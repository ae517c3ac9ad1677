// Binds symbols to sizes.
#include "kolam/ir/bind_sizes.h"

#include "kolam/ir/types.h"
#include "kolam/support/error.h"

#include "mlir/IR/TypeRange.h"

namespace kolam::ir {
namespace {

[[noreturn]] void fail_mismatch(size_t argument, size_t dim, const std::string& expected,
                                int64_t actual) {
  fail(ErrorKind::value, "argument-mismatch",
       "argument " + std::to_string(argument) + ": expected extent " + expected + " in dim " +
           std::to_string(dim) + ", but got " + std::to_string(actual));
}

} // namespace

std::map<std::string, int64_t> bind_sizes(mlir::TypeRange types,
                                          std::span<const std::vector<int64_t>> shapes) {
  KOLAM_CHECK(types.size() == shapes.size());
  std::map<std::string, int64_t> sizes;
  std::vector<Shape> expected;
  for (auto [argument, type] : llvm::enumerate(types)) {
    expected.push_back(shape_of(type));
    if (expected.back().size() != shapes[argument].size())
      fail(ErrorKind::value, "argument-mismatch",
           "argument " + std::to_string(argument) + ": expected rank " +
               std::to_string(expected.back().size()) + ", but got " +
               std::to_string(shapes[argument].size()));
    for (auto [dim, extent] : llvm::enumerate(expected.back()))
      if (auto symbol = extent.as_symbol())
        sizes.try_emplace(*symbol, shapes[argument][dim]);
  }
  for (auto [argument, shape] : llvm::enumerate(expected))
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      int64_t size = extent.evaluate(sizes);
      if (size != shapes[argument][dim])
        fail_mismatch(argument, dim,
                      extent.is_constant() ? std::to_string(size)
                                           : extent.to_string() + " = " + std::to_string(size),
                      shapes[argument][dim]);
    }
  return sizes;
}

} // namespace kolam::ir
