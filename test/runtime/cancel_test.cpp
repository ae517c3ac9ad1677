// The flag that asks running programs to stop.
#include "kolam/runtime/cancel.h"

#include <gtest/gtest.h>

#include <thread>

namespace kolam::runtime {
namespace {

bool is_asked_for() { return *cancel_flag() != 0; }

TEST(Cancel, IsAskedForUntilCleared) {
  EXPECT_FALSE(is_asked_for());
  request_cancel();
  request_cancel();
  EXPECT_TRUE(is_asked_for());
  clear_cancel();
  EXPECT_FALSE(is_asked_for());
}

TEST(Cancel, IsOneFlagForAllThreads) {
  std::thread([] { request_cancel(); }).join();
  EXPECT_TRUE(is_asked_for());
  clear_cancel();
}

} // namespace
} // namespace kolam::runtime
