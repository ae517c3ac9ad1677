/// Reading what a user gives as a data dimension.
#pragma once

#include "kolam/frontend/array/pin.h"

#include <vector>

namespace kolam::layout {

struct GivenPin {
  int64_t dim = 0;
  std::vector<std::string> names; ///< "" for none; empty where no dim has one
};

/// The pin of a tensor of this shape. Throws `[layout-pin]`, in whose words `of` is what the user
/// gave it for: "pin of input 'x'".
GivenPin read_pin(const std::string& of, const Pin& pin, const Shape& shape);

[[noreturn]] void fail_pin(const std::string& of, const std::string& expected,
                           const std::string& given);

} // namespace kolam::layout
