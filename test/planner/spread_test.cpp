// Who sends a box that several workers want.
#include "kolam/planner/spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace kolam::planner {
namespace {

const space::Box kBox({0}, {4});

/// How often each worker sends where `count` workers get the box of worker 0.
std::map<int64_t, int64_t> sends_to(int64_t count, int64_t group,
                                    std::vector<std::pair<int64_t, int64_t>>* pairs = nullptr) {
  Spread spread(group);
  std::map<int64_t, int64_t> sends;
  for (int64_t to = 1; to < count; ++to) {
    const int64_t from = spread.sender(0, kBox, 0, to);
    EXPECT_LT(from, to) << "only who has it sends it";
    ++sends[from];
    if (pairs)
      pairs->emplace_back(from, to);
  }
  return sends;
}

TEST(Spread, NobodySendsOftenerThanATreeNeeds) {
  for (int64_t count : {2, 3, 8, 64, 1000, 1024}) {
    int64_t most = 0;
    for (const auto& [worker, sends] : sends_to(count, 1))
      most = std::max(most, sends);
    int64_t log = 0;
    while ((int64_t{1} << log) < count)
      ++log;
    EXPECT_LE(most, log) << count;
  }
}

TEST(Spread, ABoxComesToAGroupOnce) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  sends_to(64, 8, &pairs);
  int64_t far = 0;
  for (const auto& [from, to] : pairs)
    far += from / 8 != to / 8;
  EXPECT_EQ(far, 7);
}

TEST(Spread, BoxesAndTensorsAreApart) {
  Spread spread(1);
  EXPECT_EQ(spread.sender(0, kBox, 3, 5), 3);
  EXPECT_EQ(spread.sender(0, space::Box({0}, {2}), 7, 5), 7);
  EXPECT_EQ(spread.sender(1, kBox, 8, 5), 8);
  spread.forget();
  EXPECT_EQ(spread.sender(0, kBox, 4, 6), 4);
}

} // namespace
} // namespace kolam::planner
