// Numbers that loops carry take the dtype that the body gives.
#include "kolam/kolam.h"

#include "test/error/expect_words.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using test::expect_mention;

TEST(Carried, NumbersTakeTheDtypeOfTheBody) {
  Array xs = astype(Array::of<float>({1, 2, 3}), DType::f16);
  auto sums = [](Tensor xs) {
    return scan([](Tensor s, Tensor x) { return std::pair{s + x, s}; }, 0, xs).first;
  };
  EXPECT_EQ(sums(xs).dtype(), DType::f16);
  Tensor total = jit(sums)(xs);
  EXPECT_EQ(total.dtype(), DType::f16);
  EXPECT_EQ(astype(total, DType::f32).item<float>(), 6);
  EXPECT_EQ(fori_loop(0, 3, [](Tensor i, Tensor s) { return s + i; }, 0.5).dtype(), DType::f32);
  auto half = while_loop([](Tensor s) { return s > 1; }, [](Tensor s) { return s * 0.5; }, 8);
  EXPECT_EQ(half.item<float>(), 1);
}

TEST(Carried, RefusesWhatHasNoFixedPoint) {
  auto flip = [](Tensor, Tensor s) {
    return astype(s, s.dtype() == DType::f32 ? DType::f16 : DType::f32);
  };
  expect_mention([&] { (void)(fori_loop(0, 3, flip, 1.0)); }, "[carry-mismatch]", "and so on");
}

} // namespace
} // namespace kolam
