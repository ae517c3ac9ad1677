// Pairs of features turned by an angle for each place.
#include <cstdint>

/// x [heads, n, d], c and s [n, d / 2]; y [heads, n, d].
extern "C" void run(const float* x, const float* c, const float* s, float* y, int64_t heads,
                    int64_t n, int64_t d, int64_t, int64_t, int64_t, int64_t) {
  const int64_t half = d / 2;
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < n; ++i, x += d, y += d)
      for (int64_t j = 0; j < half; ++j) {
        y[j] = x[j] * c[i * half + j] - x[j + half] * s[i * half + j];
        y[j + half] = x[j] * s[i * half + j] + x[j + half] * c[i * half + j];
      }
}
