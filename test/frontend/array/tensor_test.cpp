// Extents as values: beside tensors, as bounds and as fills, static and symbolic alike.
#include "test/frontend/array/both_backends.h"

namespace kolam {
namespace {

using test::error_of;
using test::run_both;
using test::run_error;
using Tensors = std::vector<Tensor>;

const Extent kN = Extent::symbol("n");

/// What `function` gives on `x`, whose only dim is a number and then a symbol.
Array with_both_extents(const Array& x, const test::TensorFunction& function) {
  Array fixed = run_both({x}, function)[0];
  Array dynamic = run_both({{x.dtype(), {kN}}}, {x}, function)[0];
  EXPECT_TRUE(runtime::same_bits(fixed, dynamic))
      << fixed.to_string() << " and " << dynamic.to_string();
  return fixed;
}

TEST(ExtentValue, TakesTheDtypeOfTensorsBesideIt) {
  auto mean = [](Tensors x) { return Tensors{sum(x[0]) / x[0].shape()[0]}; };
  EXPECT_EQ(with_both_extents(Array::of<float>({1, 2, 6}), mean).item<float>(), 3);
  auto scaled = [](Tensors x) { return Tensors{x[0].shape()[0] * x[0]}; };
  EXPECT_EQ(with_both_extents(Array::of<int8_t>({1, -2, 6}), scaled).values<int8_t>()[2], 18);
}

TEST(ExtentValue, MustFitTheDtypeBesideIt) {
  auto scaled = [](Tensors x) { return Tensors{x[0] * x[0].shape()[0]}; };
  Error error = run_error({{DType::i8, {kN}}}, {Array::zeros(DType::i8, {128})}, scaled);
  EXPECT_EQ(error.slug(), "scalar-does-not-fit");
  EXPECT_EQ(error.message().rfind("expected an extent in the range of int8, but got n", 0), 0u)
      << error.message();
}

TEST(ExtentValue, Fills) {
  auto filled = [](Tensors x) {
    return Tensors{full({2}, x[0].shape()[0], DType::f32), full_like(x[0], x[0].shape()[0])};
  };
  EXPECT_EQ(with_both_extents(Array::of<float>({1, 2, 6}), filled).values<float>()[1], 3);
}

TEST(ExtentValue, BoundsALoop) {
  auto doubled = [](Tensors x) {
    return Tensors{
        fori_loop(0, x[0].shape()[0], [](Tensor, Tensor s) { return s * 2; }, sum(x[0]))};
  };
  EXPECT_EQ(with_both_extents(Array::of<float>({1, 2, 6}), doubled).item<float>(), 72);
}

TEST(ExtentValue, IsAScalarByName) {
  auto count = [](Tensors x) { return Tensors{extent(x[0].shape()[0] * 2 + 1)}; };
  Array result = with_both_extents(Array::of<float>({1, 2, 6}), count);
  EXPECT_EQ(result.dtype(), DType::i64);
  EXPECT_EQ(result.item<int64_t>(), 7);
}

TEST(ExtentValue, StandsBesideKeysAndPlaces) {
  auto drawn = [](Tensors x) {
    return Tensors{random::randint(random::key(1), {4}, 0, x[0].shape()[0])};
  };
  with_both_extents(Array::of<float>({1, 2, 6}), drawn);
  auto last = [](Tensors x) { return Tensors{take(x[0], x[0].shape()[0] - 1, 0)}; };
  EXPECT_EQ(with_both_extents(Array::of<float>({1, 2, 6}), last).item<float>(), 6);
}

TEST(ExtentValue, NeedsATraceThatBindsIt) {
  EXPECT_EQ(error_of([] { add(1, kN); }).slug(), "escaped-tracer");
  EXPECT_EQ(error_of([] { extent(kN); }).slug(), "extent-unbound");
}

} // namespace
} // namespace kolam
