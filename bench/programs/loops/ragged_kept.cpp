// Of each list the sum of what is above its mean.
#include <cstdint>

/// x [n], offsets [rows + 1]; y [rows].
extern "C" void run(const float* x, const int64_t* offsets, float* y, int64_t, int64_t count) {
  for (int64_t i = 0; i + 1 < count; ++i) {
    const int64_t begin = offsets[i], end = offsets[i + 1];
    float sum = 0, kept = 0;
    for (int64_t e = begin; e < end; ++e)
      sum += x[e];
    const float mean = sum / static_cast<float>(end - begin);
    for (int64_t e = begin; e < end; ++e)
      kept += x[e] > mean ? x[e] : 0;
    y[i] = kept;
  }
}
