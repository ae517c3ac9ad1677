/// How many elements are added before and after a dim.
#pragma once

#include <cstdint>

namespace kolam {

struct PadWidth {
  int64_t before = 0, after = 0;
};

} // namespace kolam
