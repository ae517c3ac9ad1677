// The nearest center of each point: sixteen points side by side.
#include <algorithm>
#include <cstdint>
#include <limits>

/// x [n, d], c [k, d]; y [n].
extern "C" void run(const float* x, const float* c, int32_t* y, int64_t n, int64_t d, int64_t k,
                    int64_t) {
  constexpr int64_t kLanes = 16, kWidest = 64;
  float points[kWidest][kLanes];
  for (int64_t first = 0; first < n; first += kLanes) {
    const int64_t count = std::min(kLanes, n - first);
    for (int64_t e = 0; e < d; ++e)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        points[e][lane] = x[(first + std::min(lane, count - 1)) * d + e];
    float least[kLanes];
    int32_t at[kLanes] = {};
    std::fill_n(least, kLanes, std::numeric_limits<float>::max());
    for (int64_t j = 0; j < k; ++j) {
      float total[kLanes] = {};
      for (int64_t e = 0; e < d; ++e)
        for (int64_t lane = 0; lane < kLanes; ++lane) {
          const float apart = points[e][lane] - c[j * d + e];
          total[lane] += apart * apart;
        }
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        at[lane] = total[lane] < least[lane] ? static_cast<int32_t>(j) : at[lane];
        least[lane] = std::min(least[lane], total[lane]);
      }
    }
    std::copy_n(at, count, y + first);
  }
}
