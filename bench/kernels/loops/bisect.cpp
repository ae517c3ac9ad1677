// Binary search without branches, for groups of queries whose reads do not wait for one another.
#include <cstdint>

/// table [m], ascending, queries [n]; places [n]: how many elements of the table are less.
extern "C" void run(const float* table, const float* queries, int32_t* places, int64_t m,
                    int64_t n) {
  constexpr int64_t kGroup = 64;
  for (int64_t first = 0; first < n; first += kGroup) {
    const int64_t count = n - first < kGroup ? n - first : kGroup;
    int32_t low[kGroup] = {};
    auto rest = static_cast<int32_t>(m);
    for (; rest > 1; rest -= rest / 2)
      for (int64_t i = 0; i < count; ++i)
        low[i] += table[low[i] + rest / 2 - 1] < queries[first + i] ? rest / 2 : 0;
    for (int64_t i = 0; i < count; ++i)
      places[first + i] = low[i] + (table[low[i]] < queries[first + i] ? 1 : 0);
  }
}
