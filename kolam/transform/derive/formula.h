/// The derivative column of the elementwise table as ops.
#pragma once

#include "kolam/transform/derive/linearisation.h"

#include <optional>
#include <string_view>

namespace kolam::transform::derive {

/// A number, or elements.
struct Term {
  std::optional<double> number;
  Value value;
};

/// An expression over x, y, z and the result r, in numbers, + - * /, parentheses and functions of
/// the table (support/elementwise_row.h): as ops at the builder's place. `operands` are x, y, z;
/// all are of one float dtype and shape.
Term formula(Builder& b, std::string_view text, llvm::ArrayRef<Value> operands, Value result);

} // namespace kolam::transform::derive
