/// Memory that is asked for before it is needed.
#pragma once

#include "kolam/lower/cpu/emission.h"
#include "kolam/nest/end_to_end.h"

namespace kolam::lower::cpu {

/// From here on, memory ahead of every load and store of these is asked for.
void emit_prefetches(llvm::ArrayRef<nest::EndToEnd> walks, Emission& emission);

} // namespace kolam::lower::cpu
