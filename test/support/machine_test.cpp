// What follows from a machine's registers, and its text.
#include "kolam/support/machine.h"

#include <gtest/gtest.h>
#include <set>

namespace kolam {
namespace {

TEST(Machine, HasRegistersByTheirWidth) {
  EXPECT_EQ(Machine{.vector_bytes = 64}.registers(), 32);
  EXPECT_EQ(Machine{.vector_bytes = 32}.registers(), 16);
  EXPECT_EQ(Machine{.vector_bytes = 32}.lanes(), 8);
  EXPECT_TRUE(Machine{.vector_bytes = 64}.has_avx512());
  EXPECT_TRUE(Machine{.vector_bytes = 32}.has_avx2());
  EXPECT_FALSE(Machine{}.has_avx2());
}

/// Cached code is looked up by it.
TEST(Machine, HasATextThatTellsItFromOthers) {
  Machine narrow, small, cheap, gathers;
  narrow.vector_bytes = 32;
  small.caches.first /= 2;
  cheap.prices.memory_byte = 5;
  gathers.has_gathers = true;
  std::set<std::string> texts;
  for (const Machine& machine : {Machine(), narrow, small, cheap, gathers})
    texts.insert(to_string(machine));
  EXPECT_EQ(texts.size(), 5u);
  EXPECT_EQ(to_string(Machine()), to_string(Machine()));
}

TEST(Machine, HasUnitsThatTilesDivide) {
  for (int bytes : {32, 64}) {
    Machine machine{.vector_bytes = bytes};
    EXPECT_EQ(kTiles.small_unit % machine.lanes(), 0);
    EXPECT_EQ(kTiles.unit % kTiles.small_unit, 0);
    EXPECT_EQ(kTiles.unit % (machine.registers() / 4), 0);
    EXPECT_EQ(kThreads.tile % machine.lanes(), 0);
  }
}

} // namespace
} // namespace kolam
