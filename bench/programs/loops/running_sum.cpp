// Running sums of columns, row by row.
#include <cstdint>

/// x [n, m]; y [n, m].
extern "C" void run(const float* x, float* y, int64_t n, int64_t m) {
  for (int64_t j = 0; j < m; ++j)
    y[j] = x[j];
  for (int64_t i = 1; i < n; ++i)
    for (int64_t j = 0; j < m; ++j)
      y[i * m + j] = y[(i - 1) * m + j] + x[i * m + j];
}
