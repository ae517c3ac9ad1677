// Four generations of Life; outside nobody lives.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

/// x [n, n]; y [n, n].
extern "C" void run(const uint8_t* x, uint8_t* y, int64_t n, int64_t) {
  constexpr int kGenerations = 4;
  const int64_t wide = n + 2;
  std::vector<uint8_t> now(static_cast<std::size_t>(wide * wide)), next(now), sums(now);
  for (int64_t i = 0; i < n; ++i)
    std::copy_n(x + i * n, n, &now[static_cast<std::size_t>((i + 1) * wide + 1)]);
  for (int generation = 0; generation < kGenerations; ++generation) {
    for (int64_t i = 1; i <= n; ++i) {
      const uint8_t* row = now.data() + i * wide;
      uint8_t *sum = sums.data(), *to = next.data() + i * wide;
      for (int64_t j = 0; j < wide; ++j)
        sum[j] = static_cast<uint8_t>(row[j - wide] + row[j] + row[j + wide]);
      for (int64_t j = 1; j <= n; ++j) {
        const auto around = static_cast<uint8_t>(sum[j - 1] + sum[j] + sum[j + 1]);
        to[j] = static_cast<uint8_t>((around == 3) | ((around == 4) & row[j]));
      }
    }
    std::swap(now, next);
  }
  for (int64_t i = 0; i < n; ++i)
    std::copy_n(&now[static_cast<std::size_t>((i + 1) * wide + 1)], n, y + i * n);
}
