// States that become other states: chains, rings, and what several states become.
#include "kolam/nest/rotations.h"

#include <gtest/gtest.h>

namespace kolam::nest {
namespace {

/// As text: `0>1` moves what state 0 was to state 1; a ring ends in `>`.
std::string text(std::vector<int> sources) {
  std::string text;
  for (const Rotation& rotation : rotations_of(std::move(sources))) {
    text += text.empty() ? "" : " ";
    for (size_t state : rotation.states)
      text += (state == rotation.states.front() ? "" : ">") + std::to_string(state);
    text += rotation.is_closed ? ">" : "";
  }
  return text;
}

TEST(Rotations, ComputedStatesAreAlone) { EXPECT_EQ(text({-1, -1}), "0 1"); }

TEST(Rotations, ChainsStartWithWhatIsComputed) {
  EXPECT_EQ(text({-1, 0, 1}), "0>1>2");
  EXPECT_EQ(text({1, -1, 0}), "1>0>2");
}

TEST(Rotations, RingsAreClosed) {
  EXPECT_EQ(text({1, 0}), "0>1>");
  EXPECT_EQ(text({2, 0, 1, 3}), "0>1>2> 3>");
}

TEST(Rotations, WhatSeveralBecomeMovesToOne) {
  EXPECT_EQ(text({-1, 0, 0}), "0>1 2"); // 2 is a copy
  EXPECT_EQ(text({0, 0}), "1 0>");      // 0 keeps it
  EXPECT_EQ(text({1, 0, 1}), "2 0>1>");
}

} // namespace
} // namespace kolam::nest
