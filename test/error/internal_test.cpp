// The words of [internal]: a broken invariant of ours.
#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

TEST(Internal, NamesConditionAndPlace) {
  try {
    KOLAM_CHECK(1 + 1 == 3);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_EQ(error.slug(), "internal");
    EXPECT_TRUE(error.message().starts_with("check failed: 1 + 1 == 3 (")) << error.message();
    EXPECT_NE(error.message().find("internal_test.cpp:"), std::string::npos) << error.message();
  }
}

} // namespace
} // namespace kolam
