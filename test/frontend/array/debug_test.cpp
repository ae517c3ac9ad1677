// debug::print and debug::callback: when the program runs, in its order.
#include "kolam/kolam.h"

#include "test/error/expect_words.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using test::expect_mention;

TEST(Debug, PrintsAtEveryRunAndTurn) {
  auto f = jit([](Tensor x) {
    debug::print("x = {} {{}}", x);
    return fori_loop(
        0, 2,
        [](Tensor i, Tensor s) {
          debug::print("turn {}: {}", i, s);
          return s + i;
        },
        x);
  });
  testing::internal::CaptureStdout();
  f(Array::scalar(int32_t{5}));
  f(Array::scalar(int32_t{6}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x = 5 {}\nturn 0: 5\nturn 1: 5\n"
                                                    "x = 6 {}\nturn 0: 6\nturn 1: 6\n");
}

TEST(Debug, PrintsAtOnce) {
  testing::internal::CaptureStdout();
  debug::print("{} and {}", Tensor(Array::scalar(int32_t{5})), 7);
  debug::print("nothing");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "5 and 7\nnothing\n");
}

TEST(Debug, RefusesFormats) {
  expect_mention([&] { debug::print("x", Tensor(Array::scalar(1))); }, "[bad-format]",
                 "expected one {} for each of 1 values, but got 'x'");
  expect_mention([&] { debug::print("{x}", Tensor(Array::scalar(1))); }, "[bad-format]",
                 "{{ or }}");
}

} // namespace
} // namespace kolam
