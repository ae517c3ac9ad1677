// The attraction of each body by all others.
#include <cmath>
#include <cstdint>

/// b [4, n]: x, y, z, mass; f [3, n].
extern "C" void run(const float* b, float* f, int64_t, int64_t n) {
  const float *x = b, *y = b + n, *z = b + 2 * n, *mass = b + 3 * n;
  for (int64_t i = 0; i < n; ++i) {
    float fx = 0, fy = 0, fz = 0;
    for (int64_t j = 0; j < n; ++j) {
      const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      const float r2 = dx * dx + dy * dy + dz * dz + 0.01F;
      const float weight = mass[j] / (r2 * std::sqrt(r2));
      fx += dx * weight;
      fy += dy * weight;
      fz += dz * weight;
    }
    f[i] = fx;
    f[n + i] = fy;
    f[2 * n + i] = fz;
  }
}
