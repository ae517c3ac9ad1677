/// Scans whose state starts anew at some elements, which may be cut there.
#pragma once

#include "kolam/nest/nest.h"

namespace kolam::nest {

/// Of a scan that carries numbers, and of which only what it stacks is read: the number of the x
/// that says where all states start anew,
///
///     for t: s = where(starts[t], anew, s); ...
///
/// with `anew` computed without s, so that steps from there on need nothing of the steps before.
/// Nullopt where states are read otherwise, and for other ops.
std::optional<unsigned> restarts_by(const Nest& nest);

} // namespace kolam::nest
