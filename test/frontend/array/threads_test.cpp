// The number of threads: set, asked for, and no part of results.
#include "kolam/kolam.h"

#include "test/error/expect_words.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using test::expect_mention;

TEST(Threads, ChangeNoBit) {
  const int64_t before = get_num_threads();
  auto f = jit([](Tensor x) { return sum(tanh(matmul(x, x)), 0); });
  Tensor x = reshape(arange(90000), {300, 300}) / 90000.0;
  std::vector<Array> results;
  for (int64_t count : {1, 3, 2}) {
    set_num_threads(count);
    EXPECT_EQ(get_num_threads(), count);
    results.push_back(f(x));
  }
  set_num_threads(before);
  EXPECT_TRUE(runtime::same_bits(results[0], results[1]));
  EXPECT_TRUE(runtime::same_bits(results[0], results[2]));
}

TEST(Threads, RefusesOtherNumbers) {
  expect_mention([&] { set_num_threads(0); }, "[bad-option]",
                 "expected a number from 1 to 1024, but got 0");
  expect_mention([&] { set_num_threads(1025); }, "[bad-option]", "but got 1025");
}

} // namespace
} // namespace kolam
