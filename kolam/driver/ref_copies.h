/// Which arrays of kernels' Refs a program copies, and why.
#pragma once

#include "kolam/nest/nest.h"

#include <string>

namespace kolam::driver {

/// A line for each copy of an array that a kernel changes: its Ref, and what needs the elements
/// from before the change.
///
///     b3 = copy b0: args[0] 'x', whose memory is outputs[0] 'o', of kernel k (model.py:7), as the
///     array that is passed keeps its elements unless it is donated
std::string ref_copies(const nest::NestList& nests);

} // namespace kolam::driver
