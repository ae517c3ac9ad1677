// log(sum exp) of each row minus the labelled score.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

/// x [n, m], label [n]; y [n].
extern "C" void run(const float* x, const int32_t* label, float* y, int64_t n, int64_t m, int64_t) {
  for (int64_t i = 0; i < n; ++i, x += m) {
    float most = -std::numeric_limits<float>::max(), total = 0;
    for (int64_t j = 0; j < m; ++j)
      most = std::max(most, x[j]);
    for (int64_t j = 0; j < m; ++j) {
      // exp by 2^n times a polynomial, which the compiler keeps in vectors.
      const float scaled = std::max((x[j] - most) * 1.44269504F, -126.0F);
      const float whole = std::floor(scaled), f = scaled - whole;
      float p = 1.8775767e-3F;
      p = p * f + 8.9893397e-3F;
      p = p * f + 5.5826318e-2F;
      p = p * f + 2.4015361e-1F;
      p = p * f + 6.9315308e-1F;
      p = p * f + 9.9999994e-1F;
      const auto bits = (static_cast<int32_t>(whole) + 127) << 23;
      float power = 0;
      __builtin_memcpy(&power, &bits, sizeof power);
      total += p * power;
    }
    y[i] = std::log(total) + most - x[label[i]];
  }
}
