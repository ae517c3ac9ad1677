// What the machine does at most is measured for every kind of registers and size of block.
#include "kolam/runtime/machine_speed.h"

#include "kolam/runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kolam::runtime {
namespace {

TEST(MachineSpeed, IsMeasuredForRegistersOfAnySize) {
  for (int vector_bytes : {16, 32, 64})
    for (bool has_fma : {true, false}) {
      EXPECT_GT(most_flops(vector_bytes, has_fma), 0);
      EXPECT_TRUE(std::isfinite(most_flops(vector_bytes, has_fma)));
    }
}

TEST(MachineSpeed, IsMeasuredForBlocksOfAnySize) {
  for (double bytes : {0.0, 1.0, 5000.0, 1e6})
    for (int threads : {1, 3}) {
      set_thread_count(threads);
      EXPECT_GT(most_bytes(bytes, 32), 0);
      EXPECT_TRUE(std::isfinite(most_bytes(bytes, 32)));
    }
}

} // namespace
} // namespace kolam::runtime
