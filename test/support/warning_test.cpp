// Each warning is told once, on the standard error output or to a sink.
#include "kolam/support/warning.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

std::string told;

TEST(Warning, IsToldOnceForEachText) {
  set_warning_sink([](const std::string& text) { told += text + ";"; });
  warn("first");
  warn("second");
  warn("first");
  set_warning_sink(nullptr);
  EXPECT_EQ(told, "first;second;");
}

TEST(Warning, GoesToTheStandardErrorOutput) {
  testing::internal::CaptureStderr();
  warn("third");
  warn("third");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "kolam: warning: third\n");
}

} // namespace
} // namespace kolam
