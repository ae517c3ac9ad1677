// Checked programs: what is caught, in which words, at which line, on both backends.
#include "kolam/kolam.h"

#include "test/frontend/array/both_backends.h"

#include <gtest/gtest.h>

#include <limits>

namespace kolam {
namespace {

using test::error_of;
using test::static_specs;
using Tensors = std::vector<Tensor>;

constexpr Checks kNan{.nan = true}, kBounds{.bounds = true}, kOverflow{.overflow = true};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// What both backends say about the checked function on `arrays`; empty where nothing is wrong.
std::string complaint(const Checks& checks, const std::vector<Array>& arrays,
                      const test::TensorFunction& function) {
  Program program = trace(static_specs(arrays), function).with_checks(checks);
  auto run = [&](Backend backend) -> std::string {
    try {
      program.run(arrays, backend);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  std::string meant = run(Backend::interpret);
  EXPECT_EQ(meant, run(Backend::cpu)) << program.as_text();
  return meant;
}

std::string at(int line) { return "\n  at " __FILE__ ":" + std::to_string(line); }

TEST(NanChecks, NameTheOpTheCellAndTheLine) {
  int line = 0;
  auto function = [&](Tensors x) {
    line = __LINE__ + 1;
    Tensor root = sqrt(x[0]);
    return Tensors{add(root, 1)};
  };
  EXPECT_EQ(
      complaint(kNan, {Array::of<float>({1, 4, -1, -2})}, function),
      "[nan-created] sqrt: expected a number from operands without NaN, but got NaN (first at "
      "row-major index 2)" +
          at(line));
  EXPECT_EQ(complaint(kNan, {Array::of<float>({1, 4, 0})}, function), "");
  EXPECT_EQ(complaint(kNan, {Array::of<float>({1, kNaN})}, function), "");
}

TEST(NanChecks, FollowContractionsAndReductions) {
  auto product = [](Tensors x) { return Tensors{matmul(x[0], x[1])}; };
  Array ones = Array::of<float>({1, 1}, {2, 1});
  EXPECT_EQ(complaint(kNan, {Array::of<float>({kNaN, 1, 2, 3}, {2, 2}), ones}, product), "");
  EXPECT_NE(
      complaint(kNan, {Array::of<float>({kNaN, 1, kInfinity, -kInfinity}, {2, 2}), ones}, product)
          .find("[nan-created] contract:"),
      std::string::npos);
  auto total = [](Tensors x) { return Tensors{sum(x[0], 1)}; };
  EXPECT_EQ(complaint(kNan, {Array::of<float>({kNaN, 1, 2, 3}, {2, 2})}, total), "");
  EXPECT_NE(complaint(kNan, {Array::of<float>({kNaN, 1, kInfinity, -kInfinity}, {2, 2})}, total)
                .find("(first at row-major index 1)"),
            std::string::npos);
}

TEST(NanChecks, ReachIntoLoopsAndBranches) {
  int line = 0;
  auto function = [&](Tensors x) {
    return Tensors{fori_loop(
        0, 3,
        [&](Tensor, Tensor s) {
          line = __LINE__ + 2;
          return cond(
              less(sum(s), 3), [&] { return subtract(s, s); },
              [&] { return multiply(s, kInfinity); });
        },
        x[0])};
  };
  EXPECT_EQ(
      complaint(kNan, {Array::of<float>({4, 0})}, function),
      "[nan-created] multiply: expected a number from operands without NaN, but got NaN (first "
      "at row-major index 1)" +
          at(line + 1));
  EXPECT_EQ(complaint(kNan, {Array::of<float>({4, 4})}, function), "");
}

TEST(BoundsChecks, CatchGatherOutside) {
  int line = 0;
  auto function = [&](Tensors x) {
    line = __LINE__ + 1;
    return Tensors{gather(x[0], x[1], {0}, {2})};
  };
  Array x = Array::of<float>({1, 2, 3});
  EXPECT_EQ(complaint(kBounds, {x, Array::of<int32_t>({0, 1}, {2, 1})}, function), "");
  EXPECT_EQ(
      complaint(kBounds, {x, Array::of<int32_t>({0, 2}, {2, 1})}, function),
      "[index-out-of-range] gather: argument 'start_indices': expected every window inside the "
      "operand [3], but got one outside (first at row-major index 1)" +
          at(line));
}

TEST(BoundsChecks, CatchScatterOutsideAndDuplicates) {
  auto function = [](Tensors x) {
    return Tensors{scatter(x[0], x[1], x[2], {0}, "kUpdate", true)};
  };
  Array x = Array::of<float>({1, 2, 3}), update = Array::of<float>({8, 9}, {2, 1});
  EXPECT_EQ(complaint(kBounds, {x, update, Array::of<int32_t>({0, 2}, {2, 1})}, function), "");
  EXPECT_NE(complaint(kBounds, {x, update, Array::of<int32_t>({0, -1}, {2, 1})}, function)
                .find("[index-out-of-range] scatter: "),
            std::string::npos);
  EXPECT_NE(complaint(kBounds, {x, update, Array::of<int32_t>({1, 1}, {2, 1})}, function)
                .find("[indices-not-unique] scatter: "),
            std::string::npos);
}

template <class T> std::string overflow_of(T x, T y, const test::TensorFunction& function) {
  return complaint(kOverflow, {Array::scalar(x), Array::scalar(y)}, function);
}

template <class T> void expect_overflow_as_wide() {
  auto plus = [](Tensors x) { return Tensors{add(x[0], x[1])}; };
  auto minus = [](Tensors x) { return Tensors{subtract(x[0], x[1])}; };
  auto times = [](Tensors x) { return Tensors{multiply(x[0], x[1])}; };
  using Limits = std::numeric_limits<T>;
  T values[] = {Limits::min(),
                static_cast<T>(Limits::min() / 2),
                static_cast<T>(-1),
                0,
                1,
                3,
                static_cast<T>(Limits::max() / 2),
                Limits::max()};
  for (T x : values)
    for (T y : values) {
      T ignored;
      EXPECT_EQ(!overflow_of(x, y, plus).empty(), __builtin_add_overflow(x, y, &ignored));
      EXPECT_EQ(!overflow_of(x, y, minus).empty(), __builtin_sub_overflow(x, y, &ignored));
      EXPECT_EQ(!overflow_of(x, y, times).empty(), __builtin_mul_overflow(x, y, &ignored))
          << +x << " " << +y;
    }
}

TEST(OverflowChecks, MatchTheMachine) {
  expect_overflow_as_wide<int8_t>();
  expect_overflow_as_wide<uint32_t>();
  expect_overflow_as_wide<int64_t>();
}

TEST(OverflowChecks, SayWhere) {
  int line = __LINE__ + 1;
  auto function = [](Tensors x) { return Tensors{multiply(x[0], x[1])}; };
  EXPECT_EQ(overflow_of<int32_t>(1 << 20, 1 << 20, function),
            "[integer-overflow] multiply: expected a result in the range of int32, but got one "
            "outside (first at row-major index 0)" +
                at(line));
}

TEST(Checks, AreOffUnlessAsked) {
  auto function = [](Tensors x) { return Tensors{sqrt(x[0])}; };
  EXPECT_EQ(complaint({}, {Array::of<float>({-1})}, function), "");
}

} // namespace
} // namespace kolam
