// The words of refusals of reductions and patterns.
#include "test/error/expect_words.h"

#include <gtest/gtest.h>

#include <functional>

namespace kolam {
namespace {

using test::expect_words;

const Array kMatrix = Array::zeros(DType::f32, {2, 3});
const Array kRow = Array::zeros(DType::f32, {3});

TEST(ReductionErrors, AxisOutOfRange) {
  expect_words(
      [] { sum(kMatrix, 2); }, ErrorKind::index,
      "sum: [axis-out-of-range] argument 'axis': expected an axis from -2 to 1, but got 2");
}

TEST(ReductionErrors, DuplicateAxis) {
  expect_words(
      [] { max(kMatrix, {1, -1}); }, ErrorKind::value,
      "max: [duplicate-axis] argument 'axis': expected every axis once, but got axis 1 twice");
}

TEST(ReductionErrors, DTypeMismatch) {
  expect_words([] { sum(kMatrix, {}, {.dtype = DType::boolean}); }, ErrorKind::type,
               "sum: [dtype-mismatch] argument 'dtype': expected integers or floats, but got bool");
  expect_words([] { min(greater(kMatrix, 0)); }, ErrorKind::type,
               "min: [dtype-mismatch] expected integers or floats, but got booleans");
  expect_words(
      [] { select(kMatrix, 1, 2); }, ErrorKind::type,
      "select: [dtype-mismatch] argument 'cond': expected booleans or integers, but got floats");
}

TEST(ReductionErrors, EmptyReduction) {
  Array nothing = Array::zeros(DType::f32, {2, 0});
  const char* words = "[empty-reduction] expected at least one element to reduce, but got extents "
                      "[2, 0], which have no such element";
  expect_words([&] { max(nothing, 1); }, ErrorKind::value, std::string("max: ") + words);
  expect_words([&] { argmin(nothing); }, ErrorKind::value, std::string("argmin: ") + words);
}

TEST(ReductionErrors, EmptyReductionToNoResults) {
  Array nothing = Array::zeros(DType::f32, {0, 0});
  expect_words([&] { min(nothing, 0); }, ErrorKind::value,
               "min: [empty-reduction] expected at least one element to reduce");
  EXPECT_EQ(max(Array::zeros(DType::f32, {0, 3}), 1).shape(), (std::vector<Extent>{0}));
}

TEST(ReductionErrors, EmptyReductionOfASymbolicExtentWhenItRuns) {
  Program program = trace(std::vector<TensorSpec>{{DType::f32, {Extent::symbol("n")}}},
                          [](std::vector<Tensor> t) { return std::vector{max(t[0])}; });
  for (Backend backend : {Backend::interpret, Backend::cpu})
    expect_words([&] { program.run(std::vector{Array::zeros(DType::f32, {0})}, backend); },
                 ErrorKind::value, "[empty-reduction] expected at least one element to reduce");
}

TEST(ReductionErrors, AxisRequired) {
  expect_words(
      [] { cumulative_sum(kMatrix); }, ErrorKind::value,
      "cumulative_sum: [axis-required] argument 'axis': expected an axis for rank 2, but got none");
}

TEST(PatternErrors, UnknownReduction) {
  auto same = [](Tensor x) { return x; };
  expect_words(
      [&] { zip_map_reduce(same, {kRow}, {.reduce = "median"}); }, ErrorKind::value,
      "zip_map_reduce: [unknown-reduction] argument 'reduce': expected one of 'add', 'all', "
      "'any', 'argmax', 'argmin', 'max', 'mean', 'min', 'mul', 'prod', 'sum', but got 'median'");
  expect_words(
      [&] { zip_map_reduce(same, {kRow}, {.axis = 0}); }, ErrorKind::value,
      "zip_map_reduce: [unknown-reduction] argument 'reduce': expected a reduction for the "
      "given axis, but got none");
}

TEST(PatternErrors, PatternBody) {
  expect_words([] { zip_map_reduce([](Tensor x) { return x + kRow; }, {kRow}); }, ErrorKind::value,
               "zip_map_reduce: [pattern-body] expected scalars in the body, but 'broadcast' gives "
               "float32[3]");
  expect_words([] { zip_map_reduce([](Tensor) { return std::tuple<>(); }, {kRow}); },
               ErrorKind::value,
               "zip_map_reduce: [pattern-body] expected the body to give scalars, but got nothing");
  expect_words(
      [] { zip_map_reduce([](Tensor) { return Tensor(kRow); }, {kRow}); }, ErrorKind::value,
      "zip_map_reduce: [pattern-body] expected the body to give scalars, but got float32[3]");
}

TEST(PatternErrors, ParameterCount) {
  expect_words(
      [] { zip_map_reduce([](Tensor x, Tensor) { return x; }, {kRow}); }, ErrorKind::value,
      "zip_map_reduce: [parameter-count] expected a function of 1 tensors, but got one of 2");
}

TEST(PatternErrors, IterIdxOutside) {
  const char* words =
      "iter_idx: [iter-idx-outside] expected a call in the body of zip_map_reduce, but "
      "got one outside";
  expect_words([] { iter_idx(0); }, ErrorKind::runtime, words);
  expect_words(
      [] {
        trace(std::vector<TensorSpec>{},
              [](std::vector<Tensor>) { return std::vector{iter_idx(0)}; });
      },
      ErrorKind::runtime, words);
}

TEST(PatternErrors, IterIdxAxisOutOfRange) {
  expect_words(
      [] { zip_map_reduce([](Tensor) { return iter_idx(1); }, {kRow}); }, ErrorKind::index,
      "iter_idx: [axis-out-of-range] argument 'dim': expected an axis from -1 to 0, but got 1");
}

TEST(PatternErrors, ScalarDoesNotFit) {
  expect_words([] { imm(300, DType::u8); }, ErrorKind::value,
               "imm: [scalar-does-not-fit] expected a scalar in the range of uint8, but got 300");
  expect_words([] { imm(0.5, DType::i32); }, ErrorKind::value,
               "imm: [scalar-does-not-fit] expected a scalar in the range of int32, but got 0.5");
}

TEST(PatternErrors, NoOperands) {
  try {
    zip_map_reduce_list([](const std::vector<Tensor>& x) { return x; }, {}, PatternOptions{});
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "zip_map_reduce: [no-operands] expected one or more inputs, but got none");
  }
}

Monoid plus() {
  return make_monoid(MonoidParts{.name = "plus",
                                 .zero = Tensor(Array::scalar(0.0f)),
                                 .merge = [](Tensor a, Tensor b) { return a + b; }});
}

TEST(MonoidErrors, MonoidState) {
  Monoid monoid = plus();
  monoid.merge = [](const Monoid::State& a, const Monoid::State&) {
    return Monoid::State{a[0] > 0};
  };
  expect_words([&] { reduce({kRow}, monoid); }, ErrorKind::value,
               "reduce: [monoid-state] expected merge of monoid 'plus' to give a state as zero, "
               "float32, but got bool");
  monoid = plus();
  monoid.unwrap = [](const Monoid::State&) { return Monoid::State{kRow}; };
  expect_words([&] { reduce({kRow}, monoid); }, ErrorKind::value,
               "reduce: [monoid-state] expected unwrap of monoid 'plus' to give scalars, but got "
               "float32[3]");
  monoid = plus();
  monoid.zero = {};
  expect_words([&] { reduce({kRow}, monoid); }, ErrorKind::value,
               "reduce: [monoid-state] expected monoid 'plus' to have zero and merge");
}

TEST(MonoidErrors, MonoidCapture) {
  expect_words(
      [] {
        trace(std::vector<TensorSpec>{{DType::f32, {3}}}, [](std::vector<Tensor> t) {
          Monoid monoid = plus();
          monoid.merge = [&](const Monoid::State& a, const Monoid::State& b) {
            return Monoid::State{a[0] + b[0] * sum(t[0])};
          };
          return reduce({t[0]}, monoid);
        });
      },
      ErrorKind::value,
      "reduce: [monoid-capture] expected the functions of monoid 'plus' to use nothing from "
      "outside but scalars, but merge uses float32[3]");
}

TEST(MonoidErrors, MonoidLaw) {
  Monoid minus = plus();
  minus.merge = [](const Monoid::State& a, const Monoid::State& b) {
    return Monoid::State{a[0] - b[0]};
  };
  try {
    check_monoid_laws(minus);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_TRUE(
        std::string(error.what())
            .starts_with(
                "check_monoid_laws: [monoid-law] monoid 'plus' is not associative: expected "
                "merge(merge(a, b), c) and merge(a, merge(b, c)) to be equal, but got "))
        << error.what();
  }
}

} // namespace
} // namespace kolam
