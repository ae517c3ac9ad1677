/// The cases, one function a file of them. To add a case is to add an entry there.
#pragma once

#include "bench/harness.h"

namespace kolam::bench {

void add_elementwise(Suite& suite);
void add_matmul(Suite& suite);
void add_normalization(Suite& suite);
void add_reduction(Suite& suite);

/// `1024x1024`: how names of cases write shapes.
std::string by(const std::vector<int64_t>& extents);

} // namespace kolam::bench
