// Loops over panels share columns, against counting block by block.
#include "kolam/nest/panels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace kolam::nest {
namespace {

/// How many columns each loop leaves in a block of `columns`.
std::array<int64_t, 3> left_of_block(int64_t columns, const std::array<int64_t, 3>& steps) {
  std::array<int64_t, 3> left{};
  for (size_t loop = 0; loop < steps.size(); ++loop)
    left[loop] = columns %= steps[loop];
  return left;
}

TEST(PanelColumns, SayWhatEveryBlockLeaves) {
  const int64_t unit = 64;
  for (std::array<int64_t, 3> steps :
       {std::array<int64_t, 3>{64, 32, 16}, {32, 24, 8}, {48, 32, 16}})
    for (int64_t columns = 1; columns <= 200; ++columns) {
      PanelColumns at(columns, unit);
      for (size_t loop = 0; loop < steps.size(); ++loop) {
        // What the loop leaves of each block: where a number is known, all but the last leave none.
        std::set<int64_t> all_but_last;
        int64_t last = 0;
        for (int64_t first = 0; first < columns; first += unit) {
          last = left_of_block(std::min(unit, columns - first), steps)[loop];
          if (first + unit < columns)
            all_but_last.insert(last);
        }
        if (auto split = at.split(steps[loop])) {
          EXPECT_EQ(split->left, last) << columns << " by " << steps[loop];
          EXPECT_EQ(split->whole % steps[loop], 0);
          EXPECT_TRUE(all_but_last.empty() || all_but_last == std::set<int64_t>{0})
              << columns << " by " << steps[loop];
        } else {
          EXPECT_TRUE(columns > unit && unit % steps[0] != 0) << columns;
        }
        at = at.behind(steps[loop]);
      }
    }
}

TEST(PanelColumns, OfUnknownColumnsNothingIsKnown) {
  EXPECT_FALSE(PanelColumns(std::nullopt, 64).split(32));
  EXPECT_FALSE(PanelColumns(std::nullopt, 64).behind(32).split(16));
}

} // namespace
} // namespace kolam::nest
