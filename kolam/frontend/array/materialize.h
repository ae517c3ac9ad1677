/// Keeping a value in memory.
#pragma once

#include "kolam/frontend/array/tensor.h"

namespace kolam {

/// The elements of `x`, kept in memory: what reads the result loads them, and never computes them
/// again. Without it Kolam decides by prices: what is computed in a few operations is computed
/// where it is read, also several times (`explain` says why for each value). No bit changes.
/// Of an array, and of what lies in memory already, it is no copy.
///
///     y = materialize(f(x))      z = y[1:] - y[:-1]      // f runs once for each element of x
Tensor materialize(const Operand& x);

} // namespace kolam
