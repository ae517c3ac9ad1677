// Dynamic time warping of pairs, two rows at a time in memory.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/// a [n], offsets of a [pairs + 1], b [m], offsets of b; y [pairs].
extern "C" void run(const float* a, const int64_t* a_offsets, const float* b,
                    const int64_t* b_offsets, float* y, int64_t, int64_t count, int64_t, int64_t) {
  constexpr float kFar = 1e9F;
  std::vector<float> above, now;
  for (int64_t i = 0; i + 1 < count; ++i) {
    const float *xs = a + a_offsets[i], *ys = b + b_offsets[i];
    const int64_t n = a_offsets[i + 1] - a_offsets[i], m = b_offsets[i + 1] - b_offsets[i];
    above.assign(static_cast<std::size_t>(n + 1), kFar);
    now.assign(static_cast<std::size_t>(n + 1), kFar);
    above[0] = 0;
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(j);
        now[at + 1] =
            std::abs(xs[j] - ys[row]) + std::min(std::min(above[at + 1], now[at]), above[at]);
      }
      now.swap(above);
      now[0] = kFar;
      above[0] = kFar;
    }
    y[i] = above[static_cast<std::size_t>(n)];
  }
}
