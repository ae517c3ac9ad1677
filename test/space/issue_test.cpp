// Issues: how they print, and the one Error that several become.
#include "kolam/space/issue.h"

#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam::space {
namespace {

const Issue kRank{"space-rank", "operand 'x'", "expected rank 2, but got 1"};
const Issue kHole{"space-hole", "piece 3", "expected every element once, but got none"};

TEST(Issues, PrintOneALine) {
  EXPECT_EQ(to_string({kRank}), "operand 'x': [space-rank] expected rank 2, but got 1");
  EXPECT_EQ(to_string({kRank, kHole}),
            "operand 'x': [space-rank] expected rank 2, but got 1\n"
            "piece 3: [space-hole] expected every element once, but got none");
  EXPECT_EQ(to_string(std::vector<Issue>()), "");
}

TEST(Issues, ThrowTheFirstSlugAndTheTextOfAll) {
  EXPECT_NO_THROW(fail_on({}));
  try {
    fail_on({kRank, kHole});
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::value);
    EXPECT_EQ(error.slug(), "space-rank");
    EXPECT_NE(error.message().find("operand 'x'"), std::string::npos) << error.message();
    EXPECT_NE(error.message().find("piece 3: [space-hole]"), std::string::npos) << error.message();
  }
}

} // namespace
} // namespace kolam::space
