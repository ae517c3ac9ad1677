// Activation functions against their formulas in f64.
#include "both_backends.h"

#include <cmath>

namespace kolam::test {
namespace {

using runtime::same_bits;

struct Activation {
  const char* name;
  Tensor (*function)(const Operand&);
  double (*formula)(double);
  double tolerance; ///< beside the larger of 1 and the value, in f32
};

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

// The functions of the table are within 2 ulps; each formula loses a few more to its sums.
const Activation kActivations[] = {
    {"relu", relu, [](double x) { return std::max(x, 0.0); }, 0},
    {"sigmoid", sigmoid, sigmoid_of, 5e-7},
    {"silu", silu, [](double x) { return x * sigmoid_of(x); }, 5e-7},
    {"gelu", [](const Operand& x) { return gelu(x); },
     [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }, 5e-7},
    {"gelu_tanh", [](const Operand& x) { return gelu(x, Approximate::tanh); },
     [](double x) {
       return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
     },
     5e-7},
    {"softplus", softplus,
     [](double x) { return std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0); }, 5e-7},
};

Array points(DType dtype) { return astype(linspace(-12, 12, 97), dtype); }

Array applied(const Activation& activation, const Array& x) {
  return run_both({x}, [&](std::vector<Tensor> t) {
    return std::vector<Tensor>{activation.function(t[0])};
  })[0];
}

TEST(Activation, FollowTheirFormulas) {
  for (const Activation& activation : kActivations) {
    Array x = points(DType::f32);
    Array y = applied(activation, x);
    Array wide = applied(activation, astype(x, DType::f64).array());
    for (int64_t i = 0; i < x.size(); ++i) {
      double expected = activation.formula(x.values<float>()[i]);
      double scale = std::max(1.0, std::abs(expected));
      EXPECT_NEAR(y.values<float>()[i], expected, activation.tolerance * scale) << activation.name;
      EXPECT_NEAR(wide.values<double>()[i], expected, 1e-14 * scale) << activation.name;
    }
  }
}

TEST(Activation, NarrowFloatsRoundOnce) {
  for (const Activation& activation : kActivations)
    for (DType dtype : {DType::f16, DType::bf16}) {
      Array x = points(dtype);
      Array once = astype(applied(activation, astype(x, DType::f32).array()), dtype).array();
      EXPECT_TRUE(same_bits(applied(activation, x), once)) << activation.name;
    }
}

TEST(Activation, LargeValuesDoNotOverflow) {
  Array x = Array::of<float>({-1000, -100, 100, 1000, NAN});
  for (const Activation& activation : kActivations) {
    Array y = applied(activation, x);
    for (int i = 0; i < 4; ++i)
      EXPECT_TRUE(std::isfinite(y.values<float>()[i])) << activation.name;
    EXPECT_TRUE(std::isnan(y.values<float>()[4])) << activation.name;
  }
  EXPECT_EQ(softplus(1000.0).item<float>(), 1000.0f);
  EXPECT_GT(softplus(-80.0).item<float>(), 0.0f);
}

TEST(Activation, Integers) {
  Array x = Array::of<int8_t>({-3, 0, 5});
  EXPECT_TRUE(same_bits(applied(kActivations[0], x), Array::of<int8_t>({0, 0, 5})));
  EXPECT_EQ(applied(kActivations[1], x).dtype(), DType::f32);
}

TEST(Clip, BoundsAreOptional) {
  Array x = Array::of<float>({-2, -0.5f, 0.5f, 2, NAN});
  auto clipped = [&](std::optional<Operand> min, std::optional<Operand> max) {
    return run_both(
        {x}, [=](std::vector<Tensor> t) { return std::vector<Tensor>{clip(t[0], min, max)}; })[0];
  };
  EXPECT_TRUE(same_bits(clipped(-1, 1.0), Array::of<float>({-1, -0.5f, 0.5f, 1, NAN})));
  EXPECT_TRUE(same_bits(clipped(0, {}), Array::of<float>({0, 0, 0.5f, 2, NAN})));
  EXPECT_TRUE(same_bits(clipped({}, 0), Array::of<float>({-2, -0.5f, 0, 0, NAN})));
  EXPECT_TRUE(same_bits(clipped({}, {}), x));
  EXPECT_TRUE(same_bits(clipped(1, -1), Array::of<float>({-1, -1, -1, -1, NAN})));
  EXPECT_TRUE(
      same_bits(clip(Array::of<uint8_t>({1, 9}), 2, 5).array(), Array::of<uint8_t>({2, 5})));
}

} // namespace
} // namespace kolam::test
