/// Saying in a program which dim of a value is its data dimension, and what its dims are called.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <cstdint>
#include <string>
#include <variant>

namespace kolam::layout {

/// Where the data dimension, D, is given: a dim, from the end where it is negative, or a word for
/// each dim with a `!` behind that of D, "batch feature!". A word is a name, the dim's extent, or
/// `_`: the last two name nothing.
using Pin = std::variant<int64_t, std::string>;

/// `x`, with its data dimension given, and names for its dims.
///
///     y = pin(x, 1)        y = pin(x, "batch heads dim!")
///
/// `layout::infer` takes as given that y has that D there, and whatever has the same dims has their
/// names. Inside `jit` the CPU stores y with that dim last, or computes it in vectors along it. The
/// value is that of x, and an array that is there already is given back as it is.
/// Throws `[layout-pin]` for dims out of range, rank 0, another number of words, a name twice, not
/// one `!`, what is no name.
Tensor pin(const Operand& x, const Pin& at);

} // namespace kolam::layout
