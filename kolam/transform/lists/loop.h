/// Loops whose bodies use what stands around them.
#pragma once

#include "kolam/transform/lists/integers.h"

#include <functional>

namespace kolam::transform::lists {

/// `values = inits; for i in [lower, upper): values = body(i, values)`; i is an i64 scalar.
Values loop(Integers& integers, Value lower, Value upper, const Values& inits,
            const std::function<Values(Value, const Values&)>& body);

/// The same, of states whose leading extents may change from turn to turn where `is_late`. The body
/// gets them under extents of their own.
Values resizing_loop(Integers& integers, Value lower, Value upper, const Values& inits,
                     const std::vector<bool>& is_late,
                     const std::function<Values(Value, const Values&)>& body);

/// What a loop starts to fill.
Value zeros(Builder& b, DType dtype, const Shape& shape);

} // namespace kolam::transform::lists
