/// Documentation of the functions of the elementwise table, written from their rows.
#pragma once

#include "kolam/support/elementwise.h"

#include <string>

namespace kolam {

/// `x`, `y`, `z`; of `where` `condition`, `x`, `y`.
const char* parameter_name(Fn fn, int number);

/// What a reader wants of a function: its equation and meaning, the dtypes it takes and gives, its
/// values at zeros, infinities and NaN, and how accurate it is.
std::string elementwise_doc(Fn fn);

} // namespace kolam
