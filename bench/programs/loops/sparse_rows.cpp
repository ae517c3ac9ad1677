// Rows of a sparse matrix, each with as many entries, times a vector.
#include <cstdint>

/// column and value [n, entries], x [m]; y [n].
extern "C" void run(const int32_t* column, const float* value, const float* x, float* y, int64_t n,
                    int64_t entries, int64_t, int64_t, int64_t) {
  for (int64_t i = 0; i < n; ++i) {
    float total = 0;
    for (int64_t e = 0; e < entries; ++e)
      total += value[i * entries + e] * x[column[i * entries + e]];
    y[i] = total;
  }
}
