// The float functions against long double, within the accuracy that their rows state.
#include "test/support/apply.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

namespace kolam {
namespace {

using Oracle = long double (*)(long double, long double);

long double erf_inv_oracle(long double x, long double) {
  const long double magnitude = std::fabs(x);
  if (magnitude >= 1)
    return magnitude == 1 ? x * std::numeric_limits<long double>::infinity() : std::nanl("");
  if (magnitude < 1e-300L)
    return x * 0.886226925452758013649083741671L;
  long double y = apply_one(Fn::erf_inv, static_cast<double>(magnitude));
  for (int step = 0; step < 3; ++step) { // Newton
    const long double error =
        magnitude < 0.5L ? std::erf(y) - magnitude : (1 - magnitude) - std::erfc(y);
    y -= error / (1.12837916709551257389615890312L * std::exp(-y * y));
  }
  return std::copysign(y, x);
}

struct Case {
  Fn fn;
  Oracle oracle;
};

using L = long double;
const Case cases[] = {
    {Fn::acos, [](L x, L) -> L { return std::acos(x); }},
    {Fn::acosh, [](L x, L) -> L { return std::acosh(x); }},
    {Fn::add, [](L x, L y) -> L { return x + y; }},
    {Fn::asin, [](L x, L) -> L { return std::asin(x); }},
    {Fn::asinh, [](L x, L) -> L { return std::asinh(x); }},
    {Fn::atan, [](L x, L) -> L { return std::atan(x); }},
    {Fn::atan2, [](L x, L y) -> L { return std::atan2(x, y); }},
    {Fn::atanh, [](L x, L) -> L { return std::atanh(x); }},
    {Fn::cbrt, [](L x, L) -> L { return std::cbrt(x); }},
    {Fn::cos, [](L x, L) -> L { return std::cos(x); }},
    {Fn::cosh, [](L x, L) -> L { return std::cosh(x); }},
    {Fn::divide, [](L x, L y) -> L { return x / y; }},
    {Fn::erf, [](L x, L) -> L { return std::erf(x); }},
    {Fn::erf_inv, erf_inv_oracle},
    {Fn::erfc, [](L x, L) -> L { return std::erfc(x); }},
    {Fn::exp, [](L x, L) -> L { return std::exp(x); }},
    {Fn::exp2, [](L x, L) -> L { return std::exp2(x); }},
    {Fn::expm1, [](L x, L) -> L { return std::expm1(x); }},
    {Fn::fmod, [](L x, L y) -> L { return std::fmod(x, y); }},
    {Fn::hypot, [](L x, L y) -> L { return std::hypot(x, y); }},
    {Fn::lgamma, [](L x, L) -> L { return std::lgamma(x); }},
    {Fn::log, [](L x, L) -> L { return std::log(x); }},
    {Fn::log10, [](L x, L) -> L { return std::log10(x); }},
    {Fn::log1p, [](L x, L) -> L { return std::log1p(x); }},
    {Fn::log2, [](L x, L) -> L { return std::log2(x); }},
    {Fn::logaddexp,
     [](L x, L y) -> L {
       return x == y ? x + std::log(L{2})
                     : std::fmax(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
     }},
    {Fn::multiply, [](L x, L y) -> L { return x * y; }},
    {Fn::pow, [](L x, L y) -> L { return std::pow(x, y); }},
    {Fn::reciprocal, [](L x, L) -> L { return 1 / x; }},
    {Fn::rsqrt, [](L x, L) -> L { return 1 / std::sqrt(x); }},
    {Fn::sin, [](L x, L) -> L { return std::sin(x); }},
    {Fn::sinh, [](L x, L) -> L { return std::sinh(x); }},
    {Fn::sqrt, [](L x, L) -> L { return std::sqrt(x); }},
    {Fn::square, [](L x, L) -> L { return x * x; }},
    {Fn::subtract, [](L x, L y) -> L { return x - y; }},
    {Fn::tan, [](L x, L) -> L { return std::tan(x); }},
    {Fn::tanh, [](L x, L) -> L { return std::tanh(x); }},
};

/// |actual - expected| in units of the last place of T at `scale`, or a huge number where one is
/// special and the other not.
template <class T> double ulp_error(T actual, long double expected, long double scale) {
  constexpr double wrong = 1e30;
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected) ? 0 : wrong;
  const T rounded = static_cast<T>(expected);
  if (std::isinf(actual) || std::isinf(rounded))
    return actual == rounded ? 0 : wrong;
  using Limits = std::numeric_limits<T>;
  int exponent = Limits::min_exponent;
  if (scale != 0)
    std::frexp(scale, &exponent);
  exponent = std::max(exponent, Limits::min_exponent) - Limits::digits;
  return static_cast<double>(std::ldexp(std::fabs(actual - expected), -exponent));
}

/// Random bits, and uniform numbers around the places where functions change method.
template <class T> TestArray<T> samples(int64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  const double scales[] = {1, 10, 40, 100, 710, 1e5, 1e-3};
  TestArray<T> result(count);
  for (int64_t i = 0; i < count; ++i) {
    const double uniform = static_cast<double>(static_cast<int64_t>(random())) * 0x1p-63;
    if (i % 4 == 0)
      result[i] = std::bit_cast<T>(
          static_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(random()));
    else if (i % 4 == 1)
      result[i] = static_cast<T>(1 + uniform * 0x1p-6);
    else
      result[i] = static_cast<T>(uniform * scales[(i / 4) % 7]);
  }
  return result;
}

int64_t sample_count() {
  const char* text = std::getenv("KOLAM_TEST_SAMPLES");
  return text ? std::atoll(text) : 100'000;
}

template <class T> void check_accuracy(const Case& test, double stated) {
  const int64_t count = sample_count();
  const TestArray<T> x = samples<T>(count, 1);
  const TestArray<T> y = samples<T>(count, 2);
  const bool is_binary = elementwise_row(test.fn).arity == 2;
  const TestArray<T> result = is_binary ? apply<T>(test.fn, x, y) : apply<T>(test.fn, x);
  double worst = 0;
  int64_t worst_at = 0;
  for (int64_t i = 0; i < count; ++i) {
    const long double expected = test.oracle(x[i], y[i]);
    const L scale = test.fn == Fn::logaddexp
                        ? std::fmax(L{1}, std::fmax(std::fabs(L{x[i]}), std::fabs(L{y[i]})))
                        : expected;
    const double error = ulp_error<T>(result[i], expected, scale);
    if (error > worst) {
      worst = error;
      worst_at = i;
    }
  }
  std::printf("%s %s %.3f\n", elementwise_row(test.fn).name.data(), name(dtype_of<T>()).data(),
              worst);
  // Below half a unit an oracle of 64 bits cannot tell.
  EXPECT_LE(worst, stated + 0.001) << elementwise_row(test.fn).name << " of " << x[worst_at] << ", "
                                   << y[worst_at] << " gives " << result[worst_at];
}

class AccuracyTest : public testing::TestWithParam<Case> {};

TEST_P(AccuracyTest, f32) {
  check_accuracy<float>(GetParam(), elementwise_row(GetParam().fn).accuracy.f32);
}
TEST_P(AccuracyTest, f64) {
  check_accuracy<double>(GetParam(), elementwise_row(GetParam().fn).accuracy.f64);
}

INSTANTIATE_TEST_SUITE_P(Elementwise, AccuracyTest, testing::ValuesIn(cases), [](const auto& info) {
  return std::string(elementwise_row(info.param.fn).name);
});

} // namespace
} // namespace kolam
