// Errors that only runs of functions on lists see, and those of numbers: the function, the path of
// the element and the user's line.
#include "test/error/expect_words.h"

namespace kolam::test {
namespace {

using fractal::FractalTensor;
using fractal::list;
using fractal::StaticList;
using Ints = FractalTensor<Tensor>;
using Rows = FractalTensor<Ints>;

Ints ints() { return list<int>({1, 2, 3}); }
Rows rows() { return list<int>({{1, 2}, {0}, {}}); }

/// `call` throws an Error that says `words` and names a line of this file.
void expect_line(const std::function<void()>& call, int line, const std::string& words) {
  try {
    call();
    FAIL() << "expected an Error: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), words + "\n  at " + __FILE__ + ":" + std::to_string(line));
  }
}

/// The run of the jitted function raises it, on both backends.
template <class F, class... Arguments>
void expect_run_line(const F& function, int line, const std::string& words,
                     const Arguments&... arguments) {
  for (Backend backend : {Backend::interpret, Backend::cpu})
    expect_line([&] { jit(function, {.backend = backend})(arguments...); }, line, words);
}

TEST(ListRunErrors, NameTheFunctionAndItsLineInTheBody) {
  auto element = [](Rows rows) { return map([](Ints row) { return row[1]; }, rows); };
  expect_run_line(element, __LINE__ - 1,
                  "jit: [list-index] index: expected an index into a list of length 1, but got 1 "
                  "(at [1])",
                  rows());
  auto first_of_each = [](Rows rows) {
    return map([](Ints row) { return fractal::first(row); }, rows);
  };
  expect_run_line(first_of_each, __LINE__ - 2,
                  "jit: [list-index] first: expected an index into a list of length 0, but got 0 "
                  "(at [2])",
                  rows());
  auto parts = [](Rows rows) {
    return map([](Ints row) { return kolam::fractal::split(row, 2); }, rows);
  };
  expect_run_line(parts, __LINE__ - 2,
                  "jit: [window-too-large] split: expected a list of at least 2 elements, but got "
                  "one of 1 (at [1])",
                  rows());
  auto gathered = [](Rows rows, Ints places) {
    return map([=](Ints row) { return gather(row, places); }, rows);
  };
  expect_run_line(gathered, __LINE__ - 2,
                  "jit: [list-index] gather: expected an index into a list of length 1, but got 1 "
                  "(at [1][0])",
                  rows(), list<int>({1}));
}

TEST(ListRunErrors, OfFunctionsWithStates) {
  auto folds = [](Rows rows) { return map([](Ints row) { return fold(add, row); }, rows); };
  expect_run_line(folds, __LINE__ - 1,
                  "jit: [list-empty] fold: expected an element or an initial value, but got an "
                  "empty list (at [2])",
                  rows());
  auto reductions = [](Rows rows) {
    return map([](Ints row) { return fractal::reduce(add, row); }, rows);
  };
  expect_run_line(reductions, __LINE__ - 2,
                  "jit: [list-empty] reduce: expected an element or an initial value, but got an "
                  "empty list (at [2])",
                  rows());
}

TEST(ListRunErrors, OfUnequalLists) {
  auto shorter = [](Rows rows) {
    return fractal::dilated_map([](Rows part) { return slice(part, {1}); }, rows, 2);
  };
  expect_run_line(shorter, __LINE__ - 2,
                  "jit: [list-lengths] dilated_map: expected lists of one length, but got 2 and 1 "
                  "(at [0])",
                  rows());
  const int line = __LINE__ + 2;
  auto sums = [](Ints xs, Ints ys) {
    return map([](Tensor x, Tensor y) { return x + y; }, fractal::zip(xs, ys));
  };
  expect_run_line(
      sums, line,
      "jit: [list-lengths] map: expected lists of one length, but got 3 for xs[0] and 2 for xs[1]",
      ints(), list<int>({1, 2}));
}

TEST(ListRunErrors, OfProgramsNameTheFunction) {
  Program program = jit([](Ints xs) { return xs[3]; }).lower(ints());
  for (Backend backend : {Backend::interpret, Backend::cpu})
    expect_words([&] { program.run({ints().host().leaves()}, backend); }, ErrorKind::index,
                 "[list-index] index: expected an index into a list of length 3, but got 3");
}

TEST(ListRunErrors, ZipsThatLeaveAProgram) {
  const int line = __LINE__ + 2;
  for (Backend backend : {Backend::interpret, Backend::cpu}) {
    auto zipped = jit([](Ints xs, Ints ys) { return fractal::zip(xs, ys); }, {.backend = backend});
    EXPECT_EQ(fractal::unzip(zipped(ints(), ints())), std::tuple(ints(), ints()));
    expect_line([&] { zipped(ints(), list<int>({1, 2})); }, line,
                "jit: [list-lengths] zip: expected lists of one length, but got 3 for xs[0] and 2 "
                "for xs[1]");
  }
}

TEST(ListNumberErrors, NameTheFunctionAndTheLine) {
  const std::string wide = "[scalar-does-not-fit] expected a scalar in the range of int32, but got "
                           "1099511627776";
  const int64_t far = int64_t{1} << 40;
  expect_line([&] { fold(add, ints(), far); }, __LINE__, "fold: " + wide);
  expect_line([&] { foldr(add, ints(), far); }, __LINE__, "foldr: " + wide);
  expect_line([&] { fractal::scan(add, ints(), far); }, __LINE__, "scan: " + wide);
  expect_line([&] { fractal::reduce(add, ints(), far); }, __LINE__, "reduce: " + wide);
  expect_line([&] { fractal::repeat(far, 3); }, __LINE__, "repeat: " + wide);
  expect_line([&] { map([=](Tensor) { return far; }, ints()); }, __LINE__, "map: " + wide);
  expect_line([&] { fold([=](Tensor, Tensor) { return far; }, ints(), 0); }, __LINE__,
              "fold: " + wide);
  expect_line([&] { fractal::reduce(add, list<int8_t>({1}), 300); }, __LINE__,
              "reduce: [scalar-does-not-fit] expected a scalar in the range of int8, but got 300");
}

TEST(ListNumberErrors, SayWhichDTypeAStateHas) {
  const Ints doubles = list<double>({1, 2});
  expect_line([&] { fold(add, doubles, 0.0); }, __LINE__,
              "fold: [carry-mismatch] state 0: expected float32[], but got float64[]; a plain "
              "number as initial value is float32: pass an array of float64");
  EXPECT_EQ(fold(add, ints(), 0.5).item<float>(), 6.5f);
  auto both = [](std::tuple<Tensor, Tensor> s, Tensor x) {
    return std::tuple(std::get<0>(s), std::get<1>(s) + x);
  };
  expect_line([&] { fractal::scan(both, doubles, std::tuple(Array::scalar(0.0), 0)); }, __LINE__,
              "scan: [carry-mismatch] state 1: expected int32[], but got float64[]; a plain "
              "number as initial value is int32: pass an array of float64");
  EXPECT_EQ(fold(add, doubles, Array::scalar(0.0)).item<double>(), 3.0);
  EXPECT_EQ(fractal::reduce(add, doubles, 0.0).item<double>(), 3.0);
  EXPECT_EQ(fractal::reduce(add, list<int64_t>({1}), int64_t{1} << 40).item<int64_t>(),
            (int64_t{1} << 40) + 1);
}

TEST(StaticListErrors, OtherLengths) {
  auto total = [](Tensor x, StaticList<Tensor, 3> xs) { return fold(add, xs, x); };
  const int line = __LINE__ + 2;
  for (Backend backend : {Backend::interpret, Backend::cpu}) {
    auto jitted = jit(total, {.backend = backend});
    expect_line([&] { jitted(Array::scalar(0), list<int>({1, 2})); }, line,
                "jit: [list-lengths] argument 1: expected a list of 3, as its type says, but got "
                "one of 2");
    const int inner = __LINE__ + 1;
    auto outer = jit([&](Ints xs) { return jit(total)(Array::scalar(0), xs); }, {backend});
    EXPECT_EQ(outer(ints()).item<int>(), 6);
    expect_line(
        [&] { outer(list<int>({1, 2})); }, inner,
        "jit: [list-lengths] StaticList: argument 1: expected a list of 3, as its type says, "
        "but got another length (first at row-major index 0)");
  }
  expect_line([&] { StaticList<Tensor, 2> two = ints(); }, __LINE__,
              "StaticList: [list-lengths] expected a list of 2, as its type says, but got one of "
              "3");
  expect_line([&] { total(Array::scalar(0), {Array::scalar(0)}); }, __LINE__,
              "StaticList: [list-lengths] expected a list of 3, as its type says, but got one of "
              "1");
}

TEST(StaticListErrors, TracedListsAreLookedAtByTheRun) {
  auto two = [](Rows rows) {
    return map([](Ints row) { return StaticList<Tensor, 2>(row)[1]; }, rows);
  };
  expect_run_line(two, __LINE__ - 2,
                  "jit: [list-lengths] StaticList: expected a list of 2, as its type says, but got "
                  "another length (at [1])",
                  rows());
}

TEST(StaticListErrors, PlacesAreKnown) {
  for (int64_t place : {3, -4}) {
    const int line = __LINE__ + 1;
    auto outside = jit([=](StaticList<Tensor, 3> xs) { return xs[place]; });
    expect_line([&] { outside.lower(ints()); }, line,
                "index: [list-index] expected a place from -3 to 2, but got " +
                    std::to_string(place));
  }
}

} // namespace
} // namespace kolam::test
