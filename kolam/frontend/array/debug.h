/// Looking into running programs.
#pragma once

#include "kolam/frontend/array/opaque_call.h"
#include "kolam/frontend/array/operands.h"

#include <span>
#include <string>
#include <vector>

namespace kolam::debug {

/// Calls `f` with the values of `inputs` each time the program comes there, in order, also in loops
/// and branches and where nothing uses the result; outside a trace at once. Make one HostFunction
/// for each function, not one for each call; it gives no arrays. What `f` throws ends the run.
void callback(const HostFunction& f, const Operands& inputs);

/// Prints a line with the values of `inputs`, as `callback`: each `{}` of `format` is the next one;
/// `{{` and `}}` are braces.
///
///     kolam::debug::print("x = {}", x);
///
/// Throws `[bad-format]` where `format` has another number of `{}`, or anything else in braces.
void print(const std::string& format, const Operands& inputs);

template <class... Inputs>
  requires(std::convertible_to<const Inputs&, Operand> && ...)
void print(const std::string& format, const Inputs&... inputs) {
  print(format, Operands(std::vector<Operand>{Operand(inputs)...}));
}

} // namespace kolam::debug
