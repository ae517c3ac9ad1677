// The schedules of whole programs, right and damaged.
#include "kolam/driver/schedule_faults.h"

#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

const std::string kProgram = R"(
func.func @main(%x: tensor<40x100xf32>) -> tensor<100xf32> {
  %e = kolam.elementwise "exp" %x : (tensor<40x100xf32>) -> tensor<40x100xf32>
  %s = kolam.reduce "add" %e dims [0] commutative true <"chunk<64>"> : (tensor<40x100xf32>) -> tensor<100xf32>
  return %s : tensor<100xf32>
}
)";

TEST(ScheduleFaults, AreNoneOfWhatTheRulesChoose) {
  ScheduleFaults found = schedule_faults(parse(kProgram, "text").program, {}, {}, 3);
  EXPECT_EQ(found.faults, std::vector<std::string>());
  EXPECT_GT(found.run, 0);
  EXPECT_EQ(found.left_out, 0);
}

TEST(ScheduleFaults, LeaveOutWhatIsTooLarge) {
  std::string large = kProgram;
  for (size_t at = large.find("40x100"); at != std::string::npos; at = large.find("40x100", at))
    large.replace(at, 6, "4000x100");
  ScheduleFaults found = schedule_faults(parse(large, "text").program, {}, {}, 1);
  EXPECT_EQ(found.run, 0);
  EXPECT_GT(found.left_out, 0);
}

} // namespace
} // namespace kolam::driver
