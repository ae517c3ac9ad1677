/// Programs of functions that nobody asked to compile: calls of array functions and of functions
/// that transformations made, outside a trace.
#pragma once

#include "kolam/frontend/array/program.h"

namespace kolam::detail {

/// Says that a program which has not run yet is of such calls. Its code is that of an earlier
/// program of equal text. The first calls of a small one are interpreted, as that costs less than
/// compiling; the bits are the same.
void expect_single_calls(const Program& program);

} // namespace kolam::detail
