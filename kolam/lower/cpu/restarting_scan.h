/// Scans whose state starts anew at some elements, several parts of them side by side.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// The root of the nest, a scan whose states start anew where the x of number `starts` is true
/// (nest/restarts.h): cut at such elements into as many parts as there are lanes, of about the same
/// length, which run side by side as long as all have elements, then one after the other.
void emit_restarting_scan(unsigned starts, int lanes, Emission& emission);

} // namespace kolam::lower::cpu
