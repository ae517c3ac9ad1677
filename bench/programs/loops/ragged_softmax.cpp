// The softmax of each list.
#include <algorithm>
#include <cmath>
#include <cstdint>

/// x [n], offsets [rows + 1]; y [n].
extern "C" void run(const float* x, const int64_t* offsets, float* y, int64_t, int64_t count) {
  for (int64_t i = 0; i + 1 < count; ++i) {
    const int64_t begin = offsets[i], end = offsets[i + 1];
    float most = x[begin], sum = 0;
    for (int64_t e = begin; e < end; ++e)
      most = std::max(most, x[e]);
    for (int64_t e = begin; e < end; ++e) {
      y[e] = std::exp(x[e] - most);
      sum += y[e];
    }
    for (int64_t e = begin; e < end; ++e)
      y[e] *= 1 / sum;
  }
}
