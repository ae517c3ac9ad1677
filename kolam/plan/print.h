/// Plans as text for people.
#pragma once

#include <string>

#include "kolam/plan/plan.h"

namespace kolam::plans {

/// All of a plan but its programs: tensors, stages with their signatures, families of tasks and
/// transfers with their numbers over the points (i, j, ...) of their domains, and what each worker
/// has to do and to hold, neighbours with equal lines together. A box is `[start:+extent, ...]`.
///
///     matmul for (i, j) < (2, 3): at 10 i + j, worker i, index [4 i:+4, 2 j:+2]
///       reads x [4 i:+4, 0:+8], w [0:+8, 2 j:+2]
///       writes y [4 i:+4, 2 j:+2]
///
/// Numbers that name nothing print as `?`; the lines of workers are left out where the structure is
/// broken.
std::string to_string(const Plan& plan);

} // namespace kolam::plans
