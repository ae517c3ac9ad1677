/// Loops whose bodies use what stands around them.
#pragma once

#include "kolam/language/control.h"
#include "kolam/transform/lists/integers.h"

#include <functional>

namespace kolam::transform::lists {

/// `values = inits; for i in [lower, upper): values = body(i, values)`; i is an i64 scalar.
Values loop(Integers& integers, Value lower, Value upper, const Values& inits,
            const std::function<Values(Value, const Values&)>& body);

/// The same, of turns that are independent (ir/independent.h).
Values independent_loop(Integers& integers, Value lower, Value upper, const Values& inits,
                        const std::function<Values(Value, const Values&)>& body);

/// How a state goes from turn to turn.
enum class Carry : uint8_t {
  fixed,    ///< its shape stays
  resized,  ///< its leading extent may change
  appended, ///< the body gives what comes behind its rows
};

/// The same, of states that change their leading extents. The body gets them under extents of their
/// own.
Values resizing_loop(Integers& integers, Value lower, Value upper, const Values& inits,
                     const std::vector<Carry>& carries,
                     const std::function<Values(Value, const Values&)>& body);

/// The same while `condition`, a bool scalar, holds.
Values resizing_while(Integers& integers, const Values& inits, const std::vector<Carry>& carries,
                      const std::function<Value(const Values&)>& condition,
                      const std::function<Values(const Values&)>& body);

/// What the chosen one of several bodies without arguments gives, where it may have any leading
/// extents that are `resized`.
Values resizing_branch(Integers& integers, Value selector, const std::vector<Carry>& carries,
                       std::vector<language::Body> branches);

/// What a loop starts to fill: every cell is written before one reads it.
Value empty(Builder& b, DType dtype, const Shape& shape);

} // namespace kolam::transform::lists
