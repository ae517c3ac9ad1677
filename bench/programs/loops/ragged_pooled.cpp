// Attention of one query for each list of rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/// x [n, d], offsets [rows + 1], q [rows, d]; y [rows, d].
extern "C" void run(const float* x, const int64_t* offsets, const float* q, float* y, int64_t,
                    int64_t d, int64_t count, int64_t, int64_t) {
  std::vector<float> scores;
  for (int64_t i = 0; i + 1 < count; ++i) {
    const int64_t begin = offsets[i], length = offsets[i + 1] - begin;
    scores.assign(static_cast<std::size_t>(length), 0);
    float most = -1e30F, total = 0;
    for (int64_t e = 0; e < length; ++e) {
      float sum = 0;
      for (int64_t j = 0; j < d; ++j)
        sum += x[(begin + e) * d + j] * q[i * d + j];
      scores[static_cast<std::size_t>(e)] = sum * 0.125F;
      most = std::max(most, sum * 0.125F);
    }
    for (float& score : scores) {
      score = std::exp(score - most);
      total += score;
    }
    for (int64_t j = 0; j < d; ++j)
      y[i * d + j] = 0;
    for (int64_t e = 0; e < length; ++e)
      for (int64_t j = 0; j < d; ++j)
        y[i * d + j] += scores[static_cast<std::size_t>(e)] / total * x[(begin + e) * d + j];
  }
}
