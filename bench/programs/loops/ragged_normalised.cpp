// Each list less its mean, over its deviation.
#include <cmath>
#include <cstdint>

/// x [n], offsets [rows + 1]; y [n].
extern "C" void run(const float* x, const int64_t* offsets, float* y, int64_t, int64_t count) {
  for (int64_t i = 0; i + 1 < count; ++i) {
    const int64_t begin = offsets[i], end = offsets[i + 1];
    float sum = 0, squares = 0;
    for (int64_t e = begin; e < end; ++e)
      sum += x[e];
    const float mean = sum / static_cast<float>(end - begin);
    for (int64_t e = begin; e < end; ++e)
      squares += (x[e] - mean) * (x[e] - mean);
    const float scale = 1 / std::sqrt(squares / static_cast<float>(end - begin) + 1e-5F);
    for (int64_t e = begin; e < end; ++e)
      y[e] = (x[e] - mean) * scale;
  }
}
