/// Reductions of booleans in any order, by the bits of masks: how many hold, whether any or all do.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// `fn` over `count` booleans from `start` on, which `element` gives by lanes; a sum counts those
/// that hold, as an integer of `dtype`. Needs code for one lane, and fn add, logical_and or
/// logical_or.
Value emit_mask_reduction(Fn fn, DType dtype, Value start, Value count,
                          llvm::function_ref<Value(const Coordinate&)> element, Emission& emission);

} // namespace kolam::lower::cpu
