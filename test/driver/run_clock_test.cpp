// How far a run is.
#include "kolam/driver/run_clock.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

TEST(RunClock, TellsAtTheEnd) {
  std::vector<plans::RunProgress> told;
  RunClock clock({.tasks = 2, .bytes = 12}, [&](const auto& now) { told.push_back(now); });
  clock.ended(0.25, 4);
  clock.ended(0.75, 8);
  clock.finish();
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().tasks_done, 2);
  EXPECT_EQ(told.back().bytes_done, 12);
  EXPECT_EQ(told.back().seconds_left, 0);
  EXPECT_GE(clock.seconds(), told.back().seconds);
}

TEST(RunClock, Texts) {
  EXPECT_EQ(progress_text({.tasks_done = 1, .tasks = 8, .bytes_done = 3, .bytes = 12}),
            "1/8 tasks, 3.0 of 12.0 B");
  EXPECT_EQ(progress_text({.tasks_done = 12,
                           .tasks = 64,
                           .bytes_done = 3 << 29,
                           .bytes = int64_t{4} << 30,
                           .seconds = 1,
                           .seconds_left = 12.4}),
            "12/64 tasks, 1.5 of 4.0 GiB, 12 s left");
}

} // namespace
} // namespace kolam::driver
