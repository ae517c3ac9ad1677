// Checks of integers: each function, each total and the bodies of patterns against exact
// arithmetic.
#include "test/frontend/array/both_backends.h"

#include <random>

namespace kolam {
namespace {

using Tensors = std::vector<Tensor>;
using Wide = __int128;

/// A checked function: whether both backends find an overflow on given arrays.
class Checked {
public:
  Checked(const std::vector<TensorSpec>& specs, const test::TensorFunction& function)
      : program_(trace(specs, function).with_checks({.overflow = true})) {}

  bool operator()(const std::vector<Array>& arrays) const {
    bool meant = complains(arrays, Backend::interpret);
    EXPECT_EQ(meant, complains(arrays, Backend::cpu)) << program_.as_text();
    return meant;
  }

private:
  bool complains(const std::vector<Array>& arrays, Backend backend) const {
    try {
      program_.run(arrays, backend);
    } catch (const Error& error) {
      EXPECT_EQ(error.slug(), "integer-overflow") << error.what();
      return true;
    }
    return false;
  }

  Program program_;
};

bool overflows(const std::vector<Array>& arrays, const test::TensorFunction& function) {
  return Checked(test::static_specs(arrays), function)(arrays);
}

/// A checked function of scalars of T.
template <class T> Checked checked_scalars(int count, const test::TensorFunction& function) {
  return Checked(std::vector<TensorSpec>(count, {dtype_of<T>(), {}}), function);
}

template <class T> bool is_outside(Wide value) {
  return value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max();
}

template <class T> std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  return {Limits::min(),
          static_cast<T>(Limits::min() + 1),
          static_cast<T>(-1),
          0,
          1,
          2,
          3,
          11,
          static_cast<T>(Limits::max() / 2),
          Limits::max()};
}

/// `function` overflows on each edge exactly where `exact` is out of range.
template <class T> void expect_unary(Tensor (*function)(const Operand&), Wide (*exact)(Wide)) {
  Checked is_wrong = checked_scalars<T>(1, [&](Tensors v) { return Tensors{function(v[0])}; });
  for (T x : edges<T>())
    EXPECT_EQ(is_wrong({Array::scalar(x)}), is_outside<T>(exact(x))) << +x;
}

template <class T> void expect_unaries() {
  expect_unary<T>(negative, [](Wide x) { return -x; });
  expect_unary<T>(abs, [](Wide x) { return x < 0 ? -x : x; });
  expect_unary<T>(square, [](Wide x) { return x * x; });
}

TEST(OverflowChecks, SeeFunctionsOfOne) {
  expect_unaries<int8_t>();
  expect_unaries<uint16_t>();
  expect_unaries<int32_t>();
}

/// x^y, or some number far out of range for one that is.
Wide power(Wide x, Wide y) {
  Wide result = 1, far = Wide{1} << 64;
  for (Wide i = 0; i < y && result <= far && result >= -far; ++i)
    result *= x;
  return result;
}

template <class T> void expect_powers() {
  Checked is_wrong = checked_scalars<T>(2, [](Tensors v) { return Tensors{pow(v[0], v[1])}; });
  for (T x : edges<T>())
    for (T y : {0, 1, 2, 3, 7, 15, 31, 62, 63, 64})
      EXPECT_EQ(is_wrong({Array::scalar(x), Array::scalar(y)}), is_outside<T>(power(x, y)))
          << +x << "^" << +y;
}

TEST(OverflowChecks, SeePowers) {
  expect_powers<int8_t>();
  expect_powers<int64_t>();
  expect_powers<uint32_t>();
  Checked checked = checked_scalars<int64_t>(2, [](Tensors v) { return Tensors{pow(v[0], v[1])}; });
  auto is_wrong = [&](int64_t x, int64_t y) {
    return checked({Array::scalar(x), Array::scalar(y)});
  };
  EXPECT_FALSE(is_wrong(-2, 63));
  EXPECT_FALSE(is_wrong(3037000499, 2));
  EXPECT_TRUE(is_wrong(3037000500, 2));
  EXPECT_TRUE(is_wrong(2097152, 3));
  EXPECT_FALSE(is_wrong(-2097152, 3));
}

TEST(OverflowChecks, SeeShiftsAndQuotients) {
  Checked shifted =
      checked_scalars<int8_t>(2, [](Tensors v) { return Tensors{bitwise_left_shift(v[0], v[1])}; });
  Checked divided =
      checked_scalars<int8_t>(2, [](Tensors v) { return Tensors{floor_divide(v[0], v[1])}; });
  for (int8_t x : edges<int8_t>())
    for (int8_t y : {0, 1, 6, 7, 8, 100}) {
      Wide exact = Wide{x} * (Wide{1} << std::min<int>(y, 20));
      EXPECT_EQ(shifted({Array::scalar(x), Array::scalar(y)}), is_outside<int8_t>(exact))
          << +x << " << " << +y;
    }
  for (int8_t x : edges<int8_t>())
    for (int8_t y : edges<int8_t>())
      EXPECT_EQ(divided({Array::scalar(x), Array::scalar(y)}), x == -128 && y == -1);
}

template <class From, class To> void expect_casts() {
  Checked is_wrong =
      checked_scalars<From>(1, [](Tensors v) { return Tensors{astype(v[0], dtype_of<To>())}; });
  for (From x : edges<From>())
    EXPECT_EQ(is_wrong({Array::scalar(x)}), is_outside<To>(x))
        << +x << " to " << name(dtype_of<To>());
}

TEST(OverflowChecks, SeeCastsBetweenIntegers) {
  expect_casts<int32_t, int8_t>();
  expect_casts<int64_t, uint64_t>();
  expect_casts<uint64_t, int64_t>();
  expect_casts<uint8_t, int16_t>();
  expect_casts<int8_t, uint32_t>();
  expect_casts<uint64_t, uint32_t>();
}

/// Totals of random numbers near a limit, against exact arithmetic.
template <class T> struct Draw {
  std::mt19937_64 random;
  std::vector<T> operator()(size_t count, double share) {
    double most = static_cast<double>(std::numeric_limits<T>::max()) * share;
    double least = std::is_signed_v<T> ? -most : 0;
    std::vector<T> values;
    while (values.size() < count)
      values.push_back(static_cast<T>(std::uniform_real_distribution<double>(least, most)(random)));
    return values;
  }
};

template <class T> void expect_sums() {
  constexpr DType dtype = dtype_of<T>();
  std::vector<TensorSpec> specs{{dtype, {6}}};
  Checked whole(specs, [](Tensors v) { return Tensors{sum(v[0], {}, {.dtype = dtype_of<T>()})}; });
  Checked running(
      specs, [](Tensors v) { return Tensors{cumulative_sum(v[0], {.dtype = dtype_of<T>()})}; });
  Checked scattered(specs, [](Tensors v) {
    Tensor places = zeros({6, 1}, DType::i32);
    return Tensors{scatter(zeros({1}, dtype_of<T>()), expand_dims(v[0], {1}), places, {0}, "kAdd")};
  });
  Draw<T> draw{std::mt19937_64(1)};
  for (double share : {0.1, 0.3, 0.9, 0.99})
    for (int turn = 0; turn < 4; ++turn) {
      std::vector<T> values = draw(6, share);
      Wide total = 0;
      bool is_running_outside = false;
      for (T value : values) {
        total += value;
        is_running_outside |= is_outside<T>(total);
      }
      Array x = Array::of(values, {6});
      EXPECT_EQ(whole({x}), is_outside<T>(total)) << x.to_string();
      EXPECT_EQ(scattered({x}), is_outside<T>(total)) << x.to_string();
      EXPECT_EQ(running({x}), is_running_outside) << x.to_string();
    }
}

TEST(OverflowChecks, SeeSums) {
  expect_sums<int8_t>();
  expect_sums<int32_t>();
  expect_sums<uint32_t>();
  expect_sums<int64_t>();
  expect_sums<uint64_t>();
}

TEST(OverflowChecks, SeeSumsThatComeBack) {
  // Wraps on the way, yet is right: -1 at the end.
  Array x = Array::of<int64_t>({INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, 1});
  EXPECT_FALSE(overflows({x}, [](Tensors v) { return Tensors{sum(v[0])}; }));
  EXPECT_TRUE(overflows({x}, [](Tensors v) { return Tensors{cumulative_sum(v[0])}; }));
}

TEST(OverflowChecks, SeeProducts) {
  auto product = [](Tensors v) { return Tensors{prod(v[0])}; };
  auto running = [](Tensors v) { return Tensors{cumulative_prod(v[0])}; };
  std::vector<int64_t> powers(62, 2);
  EXPECT_FALSE(overflows({Array::of(powers, {62})}, product));
  EXPECT_FALSE(overflows({Array::of(powers, {62})}, running));
  powers.push_back(2);
  EXPECT_TRUE(overflows({Array::of(powers, {63})}, product));
  EXPECT_TRUE(overflows({Array::of(powers, {63})}, running));
  powers.push_back(2); // 0 modulo 2^64
  EXPECT_TRUE(overflows({Array::of(powers, {64})}, product));
  powers[0] = -2;
  powers.pop_back();
  EXPECT_FALSE(overflows({Array::of(powers, {63})}, product)) << "the lowest integer";
  std::vector<int64_t> huge(40, INT64_MAX);
  huge[7] = 0;
  EXPECT_FALSE(overflows({Array::of(huge, {40})}, product)) << "infinity times 0";
  Array bytes = Array::of<int8_t>({16, 8});
  EXPECT_FALSE(overflows({bytes}, product)) << "sums of narrow integers are of int32";
}

TEST(OverflowChecks, SeeContractions) {
  auto matrix = [](Tensors v) { return Tensors{matmul(v[0], v[1])}; };
  auto narrow = [](Tensors v) { return Tensors{matmul(v[0], v[1], DType::i8)}; };
  auto of = [](auto value) { return Array::of(std::vector<decltype(value)>(3, value), {3}); };
  EXPECT_FALSE(overflows({of(int32_t{26000}), of(int32_t{26000})}, matrix));
  EXPECT_TRUE(overflows({of(int32_t{27000}), of(int32_t{27000})}, matrix));
  EXPECT_TRUE(overflows({of(INT32_MIN), of(INT32_MIN)}, matrix)) << "3 * 2^62 is beyond 64 bits";
  EXPECT_FALSE(overflows({of(int64_t{1} << 30), of(int64_t{1} << 31)}, matrix));
  EXPECT_TRUE(overflows({of(int64_t{1} << 31), of(int64_t{1} << 31)}, matrix));
  EXPECT_TRUE(overflows({of(INT64_MAX), of(INT64_MAX)}, matrix));
  EXPECT_FALSE(overflows({of(int8_t{6}), of(int8_t{7})}, narrow));
  EXPECT_TRUE(overflows({of(int8_t{7}), of(int8_t{7})}, narrow));
}

TEST(OverflowChecks, SeeConvolutions) {
  auto folded = [](Tensors v) { return Tensors{conv(v[0], v[1])}; };
  auto of = [](int32_t value) { return Array::of<int32_t>({value, value}, {1, 1, 2}); };
  EXPECT_FALSE(overflows({of(32767), of(32767)}, folded));
  EXPECT_TRUE(overflows({of(32768), of(32768)}, folded));
}

TEST(OverflowChecks, SeeBodiesOfPatterns) {
  auto twice = [](Tensors v) {
    return zip_map_reduce_list(
        [](Tensors cell) { return Tensors{astype(cell[0] * 2, DType::f32)}; },
        std::vector<Operand>{v[0]}, {});
  };
  auto total = [](Tensors v) {
    return zip_map_reduce_list([](Tensors cell) { return Tensors{cell[0]}; },
                               std::vector<Operand>{v[0]}, {.reduce = "SUM"});
  };
  EXPECT_FALSE(overflows({Array::of<int32_t>({1 << 29, -(1 << 30)})}, twice));
  EXPECT_TRUE(overflows({Array::of<int32_t>({1, 1 << 30})}, twice));
  EXPECT_FALSE(overflows({Array::of<int32_t>({1 << 30, (1 << 30) - 1})}, total));
  EXPECT_TRUE(overflows({Array::of<int32_t>({1 << 30, 1 << 30})}, total));
}

TEST(OverflowChecks, LetWrapWhatWrapsOnPurpose) {
  EXPECT_FALSE(overflows({Array::of<uint32_t>({1, 2})}, [](Tensors v) {
    return Tensors{random::randint(v[0], {50}, 0, INT64_MAX, DType::i64),
                   random::randint(v[0], {50}, -100, 100, DType::i8),
                   random::normal(random::fold_in(v[0], -1), {9}),
                   random::key(Array::scalar(int64_t{-1})), nextafter(zeros({3}), 1.0)};
  }));
}

} // namespace
} // namespace kolam
