/// Finds the values of a function's symbols from the sizes of its arguments.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kolam::ir {

/// `types` are the parameters', `shapes` the arguments' sizes. Every symbol is bound where it stands alone in a
/// dimension; other expressions are then checked. Throws `[argument-mismatch]`, naming argument and dim.
std::map<std::string, int64_t> bind_sizes(mlir::TypeRange types,
                                          std::span<const std::vector<int64_t>> shapes);

} // namespace kolam::ir
