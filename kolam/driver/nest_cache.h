/// Compiled nests by content: equal nests of any program are compiled once.
#pragma once

#include "kolam/backend/cpu/load.h"
#include "kolam/backend/cpu/target.h"
#include "kolam/nest/nest.h"

namespace kolam::driver {

/// Lowers, compiles and loads a nest, or finds it.
std::shared_ptr<const backend::cpu::LoadedNest> compile_nest(const nest::Nest& nest,
                                                             const backend::cpu::Target& target);

} // namespace kolam::driver
