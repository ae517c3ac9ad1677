// Five points along each row; borders repeat the edge.
#include <algorithm>
#include <cstdint>

/// x [n, m]; y [n, m].
extern "C" void run(const float* x, float* y, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i, x += m, y += m) {
    auto at = [&](int64_t j) { return x[std::clamp<int64_t>(j, 0, m - 1)]; };
    auto border = [&](int64_t j) {
      y[j] = (at(j - 2) + 4 * at(j - 1) + 6 * at(j) + 4 * at(j + 1) + at(j + 2)) * 0.0625F;
    };
    border(0);
    border(1);
    for (int64_t j = 2; j < m - 2; ++j)
      y[j] = (x[j - 2] + 4 * x[j - 1] + 6 * x[j] + 4 * x[j + 1] + x[j + 2]) * 0.0625F;
    border(m - 2);
    border(m - 1);
  }
}
