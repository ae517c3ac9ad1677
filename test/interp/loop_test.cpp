// Long walks stop where the run is asked to.
#include "kolam/interp/loop.h"

#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam::interp {
namespace {

TEST(ForEachIndex, StopsBehindTheIndexAtWhichItIsAskedTo) {
  volatile int32_t cancel = 0;
  Options options;
  options.cancel = &cancel;
  int64_t count = 0;
  try {
    for_each_index(Evaluation(options, {}), {4, 5}, [&](const Index& index) {
      ++count;
      cancel = index == Index{1, 2};
    });
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "cancelled");
  }
  EXPECT_EQ(count, 8);
}

TEST(ForEachIndex, GoesOnWhereNobodyCanAsk) {
  int64_t count = 0;
  for_each_index(Evaluation({}, {}), {4, 5}, [&](const Index&) { ++count; });
  EXPECT_EQ(count, 20);
}

} // namespace
} // namespace kolam::interp
