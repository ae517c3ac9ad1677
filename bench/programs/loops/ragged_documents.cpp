// Means of words, the greatest of the sentences of each document.
#include <algorithm>
#include <cstdint>
#include <vector>

/// x [words, d], documents [documents + 1], sentences [sentences + 1]; y [documents, d].
extern "C" void run(const float* x, const int64_t* documents, const int64_t* sentences, float* y,
                    int64_t, int64_t d, int64_t count, int64_t) {
  std::vector<float> mean(static_cast<std::size_t>(d));
  for (int64_t i = 0; i + 1 < count; ++i) {
    for (int64_t j = 0; j < d; ++j)
      y[i * d + j] = -1e30F;
    for (int64_t s = documents[i]; s < documents[i + 1]; ++s) {
      std::fill(mean.begin(), mean.end(), 0.0F);
      for (int64_t e = sentences[s]; e < sentences[s + 1]; ++e)
        for (int64_t j = 0; j < d; ++j)
          mean[static_cast<std::size_t>(j)] += x[e * d + j];
      const auto words = static_cast<float>(sentences[s + 1] - sentences[s]);
      for (int64_t j = 0; j < d; ++j)
        y[i * d + j] = std::max(y[i * d + j], mean[static_cast<std::size_t>(j)] / words);
    }
  }
}
