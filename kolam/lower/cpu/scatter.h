/// What a scatter does to one element.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// The next state of one element of all destinations.
Values emit_combine(ir::ScatterOp op, const Values& state, const Values& update, Emission& e);

} // namespace kolam::lower::cpu
