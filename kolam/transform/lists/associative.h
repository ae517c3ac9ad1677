/// Associative scans as plain ones.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/transform/lists/integers.h"

#include <string>

namespace kolam::transform::lists {

/// Replaces an associative scan by a plain one that carries, beside the state s, the combination r
/// of the chunk's elements so far and the state c in front of the chunk:
///
///     r = first of a chunk ? x : body(r, x);   c = first of a chunk ? s : c;   s = body(c, r)
///
/// Gives a line for `explain`.
std::string expand_associative(ir::ListScanOp scan, Integers& integers);

} // namespace kolam::transform::lists
