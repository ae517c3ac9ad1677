/// Machine code in memory: links an object file into the process.
#pragma once

#include "kolam/backend/backend.h"

namespace kolam::backend::cpu {

/// Links `object`, whose nest function is `symbol`. Throws `[internal]`.
std::shared_ptr<const LoadedNest> link_nest(const std::string& object, const std::string& symbol);

} // namespace kolam::backend::cpu
