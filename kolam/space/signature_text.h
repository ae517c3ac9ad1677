/// Signatures as people write them.
#pragma once

#include <string>

#include "kolam/space/signature.h"

namespace kolam::space {

/// Reads what `to_string` prints of a signature behind its first line; extents, offsets and sizes
/// may hold symbols:
///
///     dim i: map n
///     dim k: reduce m add
///     in x [n, m]: [1 0 | 0 | 1; 0 1 | 0 | 1]
///     out y [n]: [1 0 | 0 | 1]
///
/// A reduced dim names the function that merges its parts. Throws `[bad-partitioning]`, naming the
/// line.
Signature parse_signature(const std::string& op, const std::string& text);

} // namespace kolam::space
