// The progress line, on a terminal made for it.
#include "kolam/driver/progress.h"

#include <gtest/gtest.h>
#include <pty.h>

namespace kolam::driver {
namespace {

using std::chrono::milliseconds;

class OnATerminal : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(openpty(&reader_, &terminal_, nullptr, nullptr, nullptr), 0); }
  void TearDown() override {
    close(reader_);
    close(terminal_);
  }
  /// Waits until the terminal shows `text`.
  void expect_shown(const std::string& text) {
    while (shown_.find(text) == std::string::npos) {
      char next[256];
      ssize_t got = read(reader_, next, sizeof next);
      ASSERT_GT(got, 0) << shown_;
      shown_.append(next, got);
    }
  }

  int reader_ = -1, terminal_ = -1;
  std::string shown_;
};

TEST_F(OnATerminal, ShowsTheStageInTheMiddleOfIt) {
  Progress progress(terminal_, milliseconds(0));
  progress.at("nest", 3, 17);
  expect_shown("kolam: compiling: nest 3/17");
  progress.at("nest", 4, 17);
  expect_shown("kolam: compiling: nest 4/17");
}

TEST_F(OnATerminal, ClearsTheLine) {
  {
    Progress progress(terminal_, milliseconds(0));
    progress.at("rewrite");
    expect_shown("kolam: compiling: rewrite");
    shown_.clear();
  }
  expect_shown("\r\033[K");
}

TEST_F(OnATerminal, ShowsNothingOfAShortCompile) {
  {
    Progress progress(terminal_, std::chrono::hours(1));
    progress.at("rewrite");
  }
  ASSERT_EQ(write(terminal_, "end", 3), 3);
  expect_shown("end");
  EXPECT_EQ(shown_, "end");
}

TEST(Progress, ShowsNothingInAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    Progress progress(ends[1], milliseconds(0));
    progress.at("rewrite");
  }
  close(ends[1]);
  char next;
  EXPECT_EQ(read(ends[0], &next, 1), 0);
  close(ends[0]);
}

} // namespace
} // namespace kolam::driver
