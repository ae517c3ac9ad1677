// Runs programs before and after choices.
#include "choice_programs.h"

#include "kolam/interp/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kolam::rewrite {

using runtime::Array;

std::vector<uint64_t> seeds(uint64_t count) {
  const char* given = std::getenv("KOLAM_SEED");
  if (given)
    return {std::stoull(given)};
  std::vector<uint64_t> all;
  for (uint64_t seed = 1; seed <= count; ++seed)
    all.push_back(seed);
  return all;
}

namespace {

double number(Values values, std::mt19937_64& random) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double kHard[] = {-0.0,  0.0,  inf,  -inf, std::numeric_limits<double>::quiet_NaN(),
                              1e-45, 1e30, -3e38};
  const uint64_t drawn = random();
  if (values == Values::hard && drawn % 24 < std::size(kHard))
    return kHard[drawn % 24];
  const double unit = std::uniform_real_distribution<double>(0.5, 1.5)(random);
  return values == Values::hard && drawn % 2 ? -3 * unit : unit;
}

/// What roundings of the dtype may make of a sum of some hundred terms.
double tolerance_of(DType dtype) {
  if (dtype == DType::f64)
    return 1e-12;
  return dtype == DType::f32 ? 3e-5 : 0.05;
}

std::vector<double> numbers_of(const Array& array) {
  const Array wide = interp::convert(array, DType::f64);
  const auto values = wide.values<double>();
  return {values.begin(), values.end()};
}

void expect_close(const Array& expected, const Array& actual) {
  const std::vector<double> x = numbers_of(expected), y = numbers_of(actual);
  ASSERT_EQ(x.size(), y.size());
  double most = 1;
  for (double value : x)
    most = std::max(most, std::abs(value));
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(x[i], y[i], most * tolerance_of(expected.dtype())) << "element " << i;
}

} // namespace

Array random_values(mlir::Type type, Values values, std::mt19937_64& random) {
  std::vector<int64_t> shape;
  for (const Extent& extent : ir::shape_of(type))
    shape.push_back(*extent.constant());
  const DType dtype = ir::dtype_of(type);
  Array numbers = Array::uninitialized(is_float(dtype) ? DType::f64 : dtype, shape);
  visit_dtype(numbers.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& element : numbers.mutable_values<T>())
      if constexpr (std::is_same_v<T, bool>)
        element = random() % 2;
      else if constexpr (std::is_integral_v<T>)
        element = static_cast<T>(random());
      else if constexpr (std::is_same_v<T, double>)
        element = number(values, random);
  });
  return interp::convert(numbers, dtype);
}

std::string text_of(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

void expect_equal(const driver::Module& before, const driver::Module& after, Keeps keeps,
                  Values values, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Array> arguments;
  for (mlir::Type type : before.main().getArgumentTypes())
    arguments.push_back(random_values(type, values, random));
  const std::vector<Array> expected = interp::interpret(before.main(), arguments),
                           actual = interp::interpret(after.main(), arguments);
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t result = 0; result < expected.size(); ++result)
    if (keeps == Keeps::exact)
      ASSERT_TRUE(runtime::same_bits(expected[result], actual[result]))
          << expected[result].to_string() << "\n"
          << actual[result].to_string() << "\n"
          << text_of(*before.module) << "\n"
          << text_of(*after.module);
    else
      expect_close(expected[result], actual[result]);
}

} // namespace kolam::rewrite
