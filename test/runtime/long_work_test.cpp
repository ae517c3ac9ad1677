// Long work tells the language that called where it begins and ends, also where it throws.
#include "kolam/runtime/long_work.h"

#include "kolam/runtime/cancel.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam::runtime {
namespace {

int depth = 0, count = 0;

TEST(LongWork, CallsTheHooks) {
  set_long_work_hooks({[]() -> void* {
                         ++depth;
                         return &count;
                       },
                       [](void* begun) noexcept {
                         --depth;
                         ++*static_cast<int*>(begun);
                       }});
  try {
    LongWork work;
    EXPECT_EQ(depth, 1);
    throw 1;
  } catch (int) {
    EXPECT_EQ(depth, 0);
  }
  EXPECT_EQ(count, 1);
  set_long_work_hooks({});
  {
    LongWork work;
  }
  EXPECT_EQ(count, 1);
}

TEST(LongWork, StopsOnRequest) {
  stop_if_cancelled();
  request_cancel();
  try {
    stop_if_cancelled();
    ADD_FAILURE() << "goes on";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "cancelled");
  }
  clear_cancel();
}

} // namespace
} // namespace kolam::runtime
