// Axes from either end, and those that are not there.
#include "kolam/support/axis.h"

#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

TEST(NormalizeAxis, CountsFromTheFront) {
  EXPECT_EQ(normalize_axis(0, 3), 0);
  EXPECT_EQ(normalize_axis(2, 3), 2);
  EXPECT_EQ(normalize_axis(-1, 3), 2);
  EXPECT_EQ(normalize_axis(-3, 3), 0);
}

TEST(NormalizeAxis, RefusesOthersByTheArgumentsName) {
  for (int64_t axis : {int64_t{3}, int64_t{-4}, INT64_MIN, INT64_MAX})
    try {
      normalize_axis(axis, 3, "dim");
      FAIL() << axis;
    } catch (const Error& error) {
      EXPECT_EQ(error.slug(), "axis-out-of-range");
      EXPECT_EQ(error.message(),
                "argument 'dim': expected an axis from -3 to 2, but got " + std::to_string(axis));
    }
  EXPECT_THROW(normalize_axis(0, 0), Error);
}

} // namespace
} // namespace kolam
