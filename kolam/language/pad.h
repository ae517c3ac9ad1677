/// Elements around a value.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/pad_width.h"

namespace kolam::language {

/// `widths` elements around `x`, one width for every dim or one for all, filled as `mode` says
/// (kolam.pad): "constant" with `value`, "edge", "reflect", "wrap". Throws `[bad-pad-width]`,
/// `[unknown-mode]`, `[dtype-mismatch]`, and `[empty-dim]` where a mode needs elements that a dim
/// lacks.
Value pad(Builder& b, Value x, std::vector<PadWidth> widths, const std::string& mode, Value value);

} // namespace kolam::language
