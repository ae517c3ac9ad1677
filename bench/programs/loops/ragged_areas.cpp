// The areas of polygons, by their corners.
#include <cstdint>

/// x [corners, 2], offsets [polygons + 1]; y [polygons].
extern "C" void run(const float* x, const int64_t* offsets, float* y, int64_t, int64_t,
                    int64_t count) {
  for (int64_t i = 0; i + 1 < count; ++i) {
    const int64_t begin = offsets[i], end = offsets[i + 1];
    float sum = 0;
    for (int64_t e = begin; e + 1 < end; ++e)
      sum += x[2 * e] * x[2 * e + 3] - x[2 * e + 2] * x[2 * e + 1];
    sum += x[2 * end - 2] * x[2 * begin + 1] - x[2 * begin] * x[2 * end - 1];
    y[i] = 0.5F * sum;
  }
}
