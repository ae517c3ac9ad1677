/// Why the threads of a run cannot share a nest.
#pragma once

#include "kolam/nest/nest.h"

#include <string>

namespace kolam::nest {

/// Of a nest whose parallel range is 1: what keeps it there. Empty for all other nests.
std::string why_one_part(const Nest& nest);

} // namespace kolam::nest
