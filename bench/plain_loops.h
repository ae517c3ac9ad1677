/// Loops over rows as one would write them by hand: peers of gather and scatter.
#pragma once

#include <cstdint>

namespace kolam::bench {

/// to[bag] = sum of table[places[bag, j]], rows of `width` floats.
void sum_bags(float* to, const float* table, const int32_t* places, int64_t bags, int64_t bag_size,
              int64_t width);

/// to[places[i]] += update[i], rows of `width` floats.
void add_rows(float* to, const float* update, const int32_t* places, int64_t rows, int64_t width);

} // namespace kolam::bench
