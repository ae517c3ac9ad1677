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

TEST(BoundsChecks, SpeakOfTheFunctionThatTheUserCalled) {
  Array x = Array::of<float>({1, 2, 3, 4, 5, 6}, {3, 2}), far = Array::of<int32_t>({0, 3});
  int line = 0;
  auto taken = [&](Tensors v) {
    line = __LINE__ + 1;
    return Tensors{take(v[0], v[1], 0)};
  };
  EXPECT_EQ(complaint(kBounds, {x, far}, taken),
            "[index-out-of-range] take: argument 'indices': expected places from -3 to 2 along "
            "axis 0, but got one outside (first at row-major index 1)" +
                at(line));
  auto words = [&](const test::TensorFunction& function) {
    std::string text = complaint(kBounds, {x, far}, function);
    return text.substr(0, text.find(", but"));
  };
  EXPECT_EQ(words([](Tensors v) { return Tensors{index(v[0], {v[1], v[1]})}; }),
            "[index-out-of-range] index: argument 'index': expected places from -3 to 2 in dim 0 "
            "and from -2 to 1 in dim 1");
  EXPECT_EQ(words([](Tensors v) { return Tensors{index(v[0], {0, sum(v[1])})}; }),
            "[index-out-of-range] index: argument 'index': expected places from -2 to 1 in dim 1");
  EXPECT_EQ(
      words([](Tensors v) { return Tensors{take_along_axis(v[0], expand_dims(v[1], {0}), 0)}; }),
      "[index-out-of-range] take_along_axis: argument 'indices': expected places from -3 to "
      "2 along axis 0");
}

TEST(NanChecks, ReachScatters) {
  Array places = Array::of<int32_t>({0, 1}, {2, 1});
  auto complains = [&](Array x, Array update, const test::TensorFunction& function) {
    std::string words = complaint(kNan, {x, update.reshaped({2, 1}), places}, function);
    return words.rfind("[nan-created] scatter: ", 0) == 0;
  };
  auto times = [](Tensors v) { return Tensors{scatter(v[0], v[1], v[2], {0}, "kMul")}; };
  auto over = [](Tensors v) {
    return Tensors{scatter(v[0], v[1], v[2], {0}, [](Tensor a, Tensor b) { return a / b; })};
  };
  Array infinite = Array::of<float>({1, kInfinity}), zeros = Array::of<float>({0, 0});
  EXPECT_TRUE(complains(infinite, zeros, times));
  EXPECT_TRUE(complains(zeros, zeros, over));
  EXPECT_FALSE(complains(Array::of<float>({1, 2}), Array::of<float>({3, 4}), times));
  EXPECT_FALSE(complains(Array::of<float>({1, kNaN}), zeros, times));
  EXPECT_FALSE(complains(zeros, Array::of<float>({1, kNaN}), over));
}

TEST(InnerChecks, GoIntoTheTraceAroundThem) {
  int line = 0;
  auto inner = jit(
      [&](Tensor x) {
        line = __LINE__ + 1;
        return sqrt(x);
      },
      {.checks = kNan});
  auto outer = [&](Tensors x) { return Tensors{sqrt(inner(x[0]) - 3)}; };
  EXPECT_EQ(complaint({}, {Array::of<float>({4})}, outer), "") << "the outer sqrt is not checked";
  EXPECT_EQ(
      complaint({}, {Array::of<float>({4, -1})}, outer),
      "[nan-created] sqrt: expected a number from operands without NaN, but got NaN (first at "
      "row-major index 1)" +
          at(line));
  EXPECT_NE(complaint(kNan, {Array::of<float>({4})}, outer), "");
}

TEST(InnerChecks, AreNotCheckedThemselves) {
  auto inner = jit([](Tensor x) { return x * 2; }, {.checks = kOverflow});
  auto outer = [&](Tensors x) { return Tensors{inner(x[0])}; };
  // The inner check divides the lowest integer by -1 and more.
  for (int8_t x : {-128, -64, -1, 0, 1, 63, 64, 127}) {
    bool is_wrong = x < -64 || x > 63;
    EXPECT_EQ(complaint(kOverflow, {Array::scalar(x)}, outer) != "", is_wrong) << +x;
    EXPECT_EQ(complaint({}, {Array::scalar(x)}, outer) != "", is_wrong) << +x;
  }
}

TEST(InnerChecks, AreRefusedInBodiesOverCells) {
  auto inner = jit([](Tensor x) { return sqrt(x); }, {.checks = kNan});
  Tensor x = Array::of<float>({4});
  EXPECT_EQ(error_of([&] { zip_map_reduce([&](Tensor cell) { return inner(cell); }, {x}); }).slug(),
            "bad-option");
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
