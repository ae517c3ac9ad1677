// A transposed matrix by blocks of 16 x 16, rows scaled.
#include <algorithm>
#include <cstdint>

/// x [n, n], s [n]; y [n, n].
extern "C" void run(const float* x, const float* s, float* y, int64_t n, int64_t, int64_t) {
  constexpr int64_t kBlock = 16;
  for (int64_t i0 = 0; i0 < n; i0 += kBlock)
    for (int64_t j0 = 0; j0 < n; j0 += kBlock)
      for (int64_t j = j0; j < std::min(j0 + kBlock, n); ++j)
        for (int64_t i = i0; i < std::min(i0 + kBlock, n); ++i)
          y[j * n + i] = x[i * n + j] * s[i];
}
