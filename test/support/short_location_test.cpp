// Lines of the user without folders.
#include "kolam/support/short_location.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

TEST(ShortLocation, HasNoFolder) {
  EXPECT_EQ(short_location({"/home/user/model.py", 10}), "model.py:10");
  EXPECT_EQ(short_location({"model.py", 3}), "model.py:3");
}

TEST(ShortLocation, IsEmptyWhereNotKnown) { EXPECT_EQ(short_location({}), ""); }

} // namespace
} // namespace kolam
