// Operators: which function they call, on which side the scalar stands, and the user's line.
#include "test/frontend/array/both_backends.h"

#include <cmath>

namespace kolam {
namespace {

using test::error_of;

/// The function, the file and the line, counted from `first`, that the error of `call` names.
void expect_here(const std::function<void()>& call, std::string_view function, int first) {
  Error error = error_of(call);
  EXPECT_EQ(std::string(error.what()).rfind(std::string(function) + ": [", 0), 0u) << error.what();
  EXPECT_EQ(error.where().file, __FILE__) << error.what();
  EXPECT_EQ(error.where().line, first) << error.what();
}

TEST(Operators, NameTheLineOfTheUser) {
  Tensor x = Array::of<float>({1, 2}), y = Array::of<float>({1, 2, 3});
  // clang-format off
  expect_here([&] { x + y; }, "add", __LINE__);
  expect_here([&] { x - y; }, "subtract", __LINE__);
  expect_here([&] { x * y; }, "multiply", __LINE__);
  expect_here([&] { x / y; }, "divide", __LINE__);
  expect_here([&] { x % y; }, "remainder", __LINE__);
  expect_here([&] { (void)(x < y); }, "less", __LINE__);
  expect_here([&] { (void)(x <= y); }, "less_equal", __LINE__);
  expect_here([&] { (void)(x > y); }, "greater", __LINE__);
  expect_here([&] { (void)(x >= y); }, "greater_equal", __LINE__);
  expect_here([&] { (void)(x == y); }, "equal", __LINE__);
  expect_here([&] { (void)(x != y); }, "not_equal", __LINE__);
  expect_here([&] { x + y.array(); }, "add", __LINE__);
  expect_here([&] { y.array() - x; }, "subtract", __LINE__);
  // clang-format on
}

TEST(Operators, NameTheLineOfScalars) {
  Tensor bytes = Array::of<uint8_t>({1}), flags = Array::of<bool>({true});
  // clang-format off
  expect_here([&] { bytes + 300; }, "add", __LINE__);
  expect_here([&] { 300 - bytes; }, "subtract", __LINE__);
  expect_here([&] { bytes * -1; }, "multiply", __LINE__);
  expect_here([&] { -flags; }, "negative", __LINE__);
  expect_here([&] { ~Tensor(Array::of<float>({1})); }, "bitwise_invert", __LINE__);
  expect_here([&] { bytes & 1.5; }, "bitwise_and", __LINE__);
  expect_here([&] { bytes | 256; }, "bitwise_or", __LINE__);
  expect_here([&] { 256 ^ bytes; }, "bitwise_xor", __LINE__);
  expect_here([&] { bytes << 1.5; }, "bitwise_left_shift", __LINE__);
  expect_here([&] { bytes >> 256; }, "bitwise_right_shift", __LINE__);
  // clang-format on
}

TEST(Operators, TakeScalarsOnEitherSide) {
  Tensor x = Array::of<float>({1, 2});
  EXPECT_EQ(Array(7 - x).values<float>()[1], 5);
  EXPECT_EQ(Array(x - 7).values<float>()[1], -5);
  EXPECT_EQ(Array(1 / x).values<float>()[1], 0.5f);
  EXPECT_TRUE(Array(1.5 < x).values<bool>()[1]);
  EXPECT_TRUE(Array(2 == x).values<bool>()[1]);
  EXPECT_TRUE(Array(-x == Array::of<float>({-1, -2})).values<bool>()[0]);
}

TEST(Where, TheConditionHasNoSayInTheDtypeOfScalars) {
  Tensor mask = Array::of<int8_t>({1, 0});
  Array chosen = where(mask, 300, 0);
  EXPECT_EQ(chosen.dtype(), DType::i32);
  EXPECT_EQ(chosen.values<int32_t>()[0], 300);
  EXPECT_EQ(where(true, Array::of<int8_t>({1}), 2).dtype(), DType::i8);
}

TEST(Pow, OfNumbersIsProductsRootsAndDivisions) {
  Tensor x = Array::of<float>({4, -0.0f, -INFINITY});
  auto values = [](const Tensor& result) {
    auto cells = result.array().values<float>();
    return std::vector<float>(cells.begin(), cells.end());
  };
  EXPECT_EQ(values(pow(x, 2)), (std::vector<float>{16, 0, INFINITY}));
  EXPECT_EQ(values(pow(x, 3)), (std::vector<float>{64, -0.0f, -INFINITY}));
  EXPECT_EQ(values(pow(x, -1)), (std::vector<float>{0.25, -INFINITY, -0.0f}));
  EXPECT_EQ(values(pow(x, 0.5)), (std::vector<float>{2, 0, INFINITY}));
  EXPECT_EQ(values(pow(x, -0.5)), (std::vector<float>{0.5, INFINITY, 0}));
  EXPECT_EQ(pow(Array::of<int32_t>({3}), 2).dtype(), DType::i32);
  EXPECT_EQ(pow(Array::of<int32_t>({3}), 2.0).dtype(), DType::f32);
}

TEST(Positive, IsItself) {
  Tensor x = Array::of<float>({-1, 2});
  EXPECT_TRUE(runtime::same_bits(Array(positive(x)), x.array()));
  EXPECT_EQ(error_of([] { positive(true); }).slug(), "dtype-mismatch");
}

template <class T> void expect_neighbours(const std::vector<T>& values) {
  for (T from : values)
    for (T to : values) {
      Array next = nextafter(Array::scalar(from), Array::scalar(to));
      T expected = std::nextafter(from, to);
      EXPECT_TRUE(runtime::same_bits(next, Array::scalar(expected)))
          << from << " to " << to << ": " << next.to_string() << ", expected " << expected;
    }
}

TEST(NextAfter, IsThatOfTheMachine) {
  using F = std::numeric_limits<float>;
  using D = std::numeric_limits<double>;
  expect_neighbours<float>({0.0f, -0.0f, 1.0f, -1.5f, F::denorm_min(), -F::denorm_min(), F::min(),
                            F::max(), F::infinity(), -F::infinity(), F::quiet_NaN()});
  expect_neighbours<double>({0.0, -0.0, 1.0, -1.5, D::denorm_min(), -D::denorm_min(), D::min(),
                             D::max(), D::infinity(), -D::infinity(), D::quiet_NaN()});
}

TEST(NextAfter, TakesNarrowFloatsAndIntegers) {
  Array bf16 = nextafter(astype(1.0, DType::bf16), astype(2.0, DType::bf16));
  EXPECT_EQ(Array(astype(bf16, DType::f32)).item<float>(), 1.0078125f);
  EXPECT_EQ(nextafter(Array::of<int32_t>({1}), 2.0f).dtype(), DType::f32);
  EXPECT_EQ(
      error_of([] { nextafter(Array::of<float>({1, 2}), Array::of<float>({1, 2, 3})); }).slug(),
      "shape-mismatch");
}

} // namespace
} // namespace kolam
