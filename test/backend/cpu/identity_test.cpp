// Builds of the compiler are told apart.
#include "kolam/backend/cpu/identity.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kolam::backend::cpu {
namespace {

TEST(BuildIdentity, NamesThreeLibraries) {
  const std::string& identity = build_identity();
  EXPECT_EQ(std::ranges::count(identity, ' '), 3);
  EXPECT_EQ(identity.find_first_not_of("0123456789abcdef "), std::string::npos);
  EXPECT_GE(identity.size(), 3 * 16u);
}

} // namespace
} // namespace kolam::backend::cpu
