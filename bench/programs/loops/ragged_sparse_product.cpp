// A sparse matrix, row by row, times a vector.
#include <cstdint>

/// column and value [entries], offsets [rows + 1], x [columns]; y [rows].
extern "C" void run(const int32_t* column, const float* value, const int64_t* offsets,
                    const float* x, float* y, int64_t, int64_t, int64_t count, int64_t) {
  for (int64_t i = 0; i + 1 < count; ++i) {
    float sum = 0;
    for (int64_t e = offsets[i]; e < offsets[i + 1]; ++e)
      sum += value[e] * x[column[e]];
    y[i] = sum;
  }
}
