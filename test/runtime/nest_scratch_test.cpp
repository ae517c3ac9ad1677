#include "kolam/runtime/nest_scratch.h"

#include "kolam/runtime/memory.h"

#include <cstring>
#include <gtest/gtest.h>
#include <thread>

namespace kolam::runtime {
namespace {

TEST(NestScratch, IsOneGrowingBlockAThread) {
  void* small = nest_scratch(100);
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % kBufferAlignment, 0u);
  EXPECT_EQ(nest_scratch(50), small);
  void* large = nest_scratch(1 << 20);
  ASSERT_NE(large, nullptr);
  std::memset(large, 1, 1 << 20);
  EXPECT_EQ(nest_scratch(100), large);
  std::thread([&] { EXPECT_NE(nest_scratch(100), large); }).join();
}

TEST(NestScratch, IsNullWhereMemoryIsShort) {
  EXPECT_EQ(nest_scratch(int64_t{1} << 60), nullptr);
  EXPECT_NE(nest_scratch(100), nullptr);
}

} // namespace
} // namespace kolam::runtime
