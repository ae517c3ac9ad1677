// The loops, compiled for the machine at hand.
#include "bench/plain_loops.h"

#include <algorithm>

namespace kolam::bench {

void sum_bags(float* __restrict to, const float* __restrict table, const int32_t* places,
              int64_t bags, int64_t bag_size, int64_t width) {
  constexpr int64_t kAhead = 16; // rows that are on their way
  const int64_t count = bags * bag_size;
  for (int64_t bag = 0; bag < bags; ++bag) {
    float* sum = to + bag * width;
    std::fill(sum, sum + width, 0.0f);
    for (int64_t i = bag * bag_size; i < (bag + 1) * bag_size; ++i) {
      const float* next = table + int64_t{places[std::min(i + kAhead, count - 1)]} * width;
      for (int64_t c = 0; c < width; c += 16) // a cache line each
        __builtin_prefetch(next + c);
      const float* row = table + int64_t{places[i]} * width;
      for (int64_t c = 0; c < width; ++c)
        sum[c] += row[c];
    }
  }
}

void add_rows(float* __restrict to, const float* __restrict update, const int32_t* places,
              int64_t rows, int64_t width) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t c = 0; c < width; ++c)
      to[int64_t{places[i]} * width + c] += update[i * width + c];
}

} // namespace kolam::bench
