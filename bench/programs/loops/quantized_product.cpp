// Few rows times a matrix of int8, whose elements are scaled once for all rows.
#include <cstdint>
#include <vector>

/// x [n, k], w [k, m], s [k / 64, m]; y [n, m].
extern "C" void run(const float* x, const int8_t* w, const float* s, float* y, int64_t n, int64_t k,
                    int64_t, int64_t m, int64_t, int64_t) {
  constexpr int64_t kGroup = 64, kColumns = 128;
  for (int64_t j0 = 0; j0 < m; j0 += kColumns) {
    const int64_t columns = m - j0 < kColumns ? m - j0 : kColumns;
    std::vector<float> totals(static_cast<std::size_t>(n * kColumns));
    for (int64_t r = 0; r < k; ++r) {
      float row[kColumns];
      for (int64_t j = 0; j < columns; ++j)
        row[j] = static_cast<float>(w[r * m + j0 + j]) * s[r / kGroup * m + j0 + j];
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < columns; ++j)
          totals[static_cast<std::size_t>(i * kColumns + j)] += x[i * k + r] * row[j];
    }
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < columns; ++j)
        y[i * m + j0 + j] = totals[static_cast<std::size_t>(i * kColumns + j)];
  }
}
