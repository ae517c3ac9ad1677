/// Finds the values of a function's symbols from the sizes of its arguments.
#pragma once

#include "kolam/support/dtype.h"
#include "kolam/support/extent.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kolam::ir {

/// What a function declares of a parameter.
struct Parameter {
  DType dtype;
  Shape shape;
  std::string name = {}; ///< how the user reaches it (argument_names.h); empty: by its number
};

/// What a caller brings.
struct Argument {
  DType dtype;
  std::span<const int64_t> shape;
};

/// The values of all symbols. Every symbol is bound where it stands alone in a dimension; dtypes
/// and all other extents are then checked. Throws `[argument-mismatch]`, naming the argument and
/// the dim.
std::map<std::string, int64_t> bind_sizes(std::span<const Parameter> parameters,
                                          std::span<const Argument> arguments);

} // namespace kolam::ir
