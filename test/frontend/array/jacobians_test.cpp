// Whole Jacobians and Hessians beside formulas.
#include "kolam/frontend/array/jacobians.h"
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

TEST(Jacobians, OfAFunctionBothWays) {
  Tensor x = Array::of<double>(std::vector<double>{1, 2, 3}, {3});
  // y[i] = x[i]^2 x[0]
  auto f = [](Tensor x) { return multiply(multiply(x, x), take(x, Array::scalar(int64_t{0}), 0)); };
  Array forward = jacfwd(f)(x).array(), reverse = jacrev(f)(x).array();
  const double expected[] = {3, 0, 0, 4, 4, 0, 9, 0, 6};
  ASSERT_EQ(forward.shape(), (std::vector<int64_t>{3, 3}));
  for (int64_t i = 0; i < 9; ++i) {
    EXPECT_EQ(forward.values<double>()[i], expected[i]);
    EXPECT_EQ(reverse.values<double>()[i], expected[i]);
  }
}

TEST(Jacobians, HessianOfACubic) {
  Tensor x = Array::of<double>(std::vector<double>{1, 2}, {2});
  Array h = hessian([](Tensor x) { return sum(multiply(x, multiply(x, x))); })(x).array();
  EXPECT_EQ(h.values<double>()[0], 6);
  EXPECT_EQ(h.values<double>()[1], 0);
  EXPECT_EQ(h.values<double>()[3], 12);
}

} // namespace
} // namespace kolam
