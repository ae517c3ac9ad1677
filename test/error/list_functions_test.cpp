// The words of refusals of functions on lists, at once and inside jit.
#include "test/error/expect_words.h"

namespace kolam::test {
namespace {

using fractal::FractalTensor;
using fractal::list;
using Ints = FractalTensor<Tensor>;
using Rows = FractalTensor<Ints>;

Ints ints() { return list<int>({1, 2, 3}); }
Rows rows() { return list<int>({{1, 2}, {}}); }

/// The jitted function's run raises an error of the same words on both backends, at this file; they
/// hold `words`.
template <class F, class... Arguments>
void expect_run_error(const F& function, const std::string& slug, const std::string& words,
                      const Arguments&... arguments) {
  std::string meant;
  for (Backend backend : {Backend::interpret, Backend::cpu})
    try {
      jit(function, {.backend = backend})(arguments...);
      ADD_FAILURE() << "expected an Error [" << slug << "]";
    } catch (const Error& error) {
      EXPECT_EQ(error.slug(), slug) << error.what();
      EXPECT_NE(error.message().find(words), std::string::npos) << error.what();
      EXPECT_NE(error.where().file.find("list_functions_test.cpp"), std::string::npos)
          << error.what();
      if (backend == Backend::interpret)
        meant = error.what();
      EXPECT_EQ(error.what(), meant);
    }
}

TEST(ListFunctionErrors, ElementsOfOtherTypes) {
  Tensor pair = Array::of<int>({1, 2}), one = Array::scalar(1);
  expect_words([&] { Ints{one, one, pair}; }, ErrorKind::type,
               "FractalTensor: [list-type] xs[2]: expected int32[], as xs[0] is, but got int32[2]");
  Ints floats = list<float>({1, 2});
  expect_words([&] { Rows{ints(), floats}; }, ErrorKind::type,
               "FractalTensor: [list-type] xs[1]: expected list<int32[]>, as xs[0] is, but got "
               "list<float32[]>");
  using Pair = std::tuple<Tensor, Ints>;
  expect_words([&] { FractalTensor<Pair>{Pair(one, ints()), Pair(one, floats)}; }, ErrorKind::type,
               "FractalTensor: [list-type] xs[1][1]: expected list<int32[]>, as xs[0][1] is, but "
               "got list<float32[]>");
  expect_words([&] { jit([](Ints a, Ints b) { return Rows{a, b}; })(ints(), floats); },
               ErrorKind::type,
               "FractalTensor: [list-type] xs[1]: expected list<int32[]>, as xs[0] is");
  expect_words([&] { Ints(std::vector<Tensor>()); }, ErrorKind::value,
               "FractalTensor: [list-type] expected at least one element, whose type the list "
               "takes, but got none");
  expect_words([&] { Ints{one, Tensor()}; }, ErrorKind::value,
               "FractalTensor: [empty-tensor] expected elements, but got an empty handle");
  expect_words([&] { Rows::from_offsets(Array::of<int>({1}), {}); }, ErrorKind::value,
               "from_offsets: [list-depth] expected offsets of 1 levels for a list of depth 2, "
               "but got 0");
  expect_words([&] { Rows::from_offsets(Array::of<int>({1}), {Array::of<int64_t>({0, 2})}); },
               ErrorKind::value, "from_offsets: [list-offsets] offsets of level 1: expected");
  expect_words([&] { rows().to_offsets(DType::u32); }, ErrorKind::type,
               "to_offsets: [argument-type] argument 'index_dtype': expected int64 or int32, but "
               "got uint32");
  const int64_t many = int64_t{1} << 31;
  Array none = Array::uninitialized(DType::f32, {many, 0});
  expect_words(
      [&] { Rows::from_offsets(none, {Array::of<int64_t>({0, many})}).to_offsets(DType::i32); },
      ErrorKind::value,
      "to_offsets: [list-offsets] expected at most 2147483647 leaves for int32, but got "
      "2147483648");
  expect_words(
      [&] { rows().width_by_depth(3); }, ErrorKind::value,
      "width_by_depth: [list-depth] argument 'd': expected 1 to 2, or -2 to -1, but got 3");
  auto widths = jit([](Rows xs) { return fractal::width_by_depth(xs, 0); });
  expect_words(
      [&] { widths(rows()); }, ErrorKind::value,
      "width_by_depth: [list-depth] argument 'd': expected 1 to 2, or -2 to -1, but got 0");
}

TEST(ListFunctionErrors, DilatedMapsGiveListsAsLongAsTheyTake) {
  auto twice = [](Ints xs) { return dilated_map([](Ints row) { return join(row, row); }, xs, 2); };
  for (Backend backend : {Backend::interpret, Backend::cpu})
    try {
      jit(twice, {.backend = backend})(list<int>({1, 2, 3, 4}));
      ADD_FAILURE() << "expected an Error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what())
                    .find("dilated_map: expected lists of one length, but got 2 and 4 (at [0])"),
                std::string::npos)
          << error.what();
    }
}

TEST(ListFunctionErrors, PlacesAreWide) {
  constexpr int64_t kFar = int64_t{5} << 30;
  expect_words([&] { ints()[kFar]; }, ErrorKind::index,
               "index: [list-index] expected a place from -3 to 2, but got 5368709120");
  expect_run_error([](Ints xs) { return xs[kFar]; }, "list-index", "but got 5368709120", ints());
  expect_words([&] { fractal::repeat(ints(), int64_t{1} << 50); }, ErrorKind::memory,
               "repeat: [out-of-memory] the list that it makes needs");
  EXPECT_TRUE(fractal::window(kFar, ints(), 3) == list<int>({0, 0, 0}));
  EXPECT_TRUE(fractal::shifted_window(kFar, ints(), 3) == list<int>({2, 3, 1}));
}

TEST(ListFunctionErrors, RunsNameTheFunction) {
  using Pairs = fractal::Iterator<Tensor, Tensor>;
  auto both = [](Ints xs, Ints ys) {
    return fractal::map([](Tensor x, Tensor y) { return x + y; }, fractal::zip(xs, ys));
  };
  expect_run_error(both, "list-lengths",
                   "map: expected lists of one length, but got 3 for xs[0] and 2 for xs[1]", ints(),
                   list<int>({1, 2}));
  auto states = [](Ints xs, Ints ys) {
    Pairs pairs = fractal::zip(xs, ys);
    return fractal::scan([](std::tuple<Tensor, Tensor> s, Tensor x,
                            Tensor y) { return std::tuple(std::get<0>(s) + x, y); },
                         pairs);
  };
  expect_run_error(states, "list-lengths",
                   "zip: expected lists of one length, but got 3 for xs[0] and 2 for xs[1]", ints(),
                   list<int>({1, 2}));
  expect_run_error([](Ints xs) { return fractal::shifted_window(0, xs, 3); }, "list-index",
                   "shifted_window: expected a list with elements, but got an empty one",
                   slice(ints(), {3}));
  expect_run_error([](Ints xs) { return fractal::reduce(kolam::add, xs); }, "list-empty",
                   "reduce: expected an element or an initial value, but got an empty list",
                   slice(ints(), {3}));
}

TEST(ListFunctionErrors, ValuesOfAnotherKind) {
  expect_words([&] { fractal::slide(ints(), 3, {.padding = 1, .value = {2.9}}); }, ErrorKind::type,
               "slide: [list-type] argument 'value': expected int32[], as the leaves are, but got "
               "the number 2.9");
}

TEST(ListFunctionErrors, PlacesOutsideOfAList) {
  expect_words([&] { ints()[3]; }, ErrorKind::index,
               "index: [list-index] expected a place from -3 to 2, but got 3");
  expect_words([&] { fractal::last(slice(ints(), {3})); }, ErrorKind::index,
               "last: [list-index] expected a list with elements, but got an empty one");
  expect_words([&] { gather(ints(), Tensor(Array::of<uint64_t>({1}))); }, ErrorKind::type,
               "gather: [bad-index] argument 'index': expected places as integers that int64 "
               "holds, in one dim, but got uint64[1]");
  expect_words([&] { gather(ints(), Tensor(Array::of<float>({1}))); }, ErrorKind::type,
               "gather: [bad-index] argument 'index': expected places as integers that int64 "
               "holds, in one dim, but got float32[1]");
  expect_words([&] { ints()[1.5]; }, ErrorKind::type,
               "index: [dtype-mismatch] argument 'i': expected an integer that int64 holds, but "
               "got float32[]");
  expect_words([&] { slice(ints(), {{}, {}, 0}); }, ErrorKind::value,
               "index: [bad-step] expected a step other than 0, but got 0");
  expect_run_error([](Ints xs, Tensor i) { return xs[i]; }, "list-index", "but got -4", ints(),
                   Tensor(Array::scalar(-4)));
  expect_run_error([](Ints xs, Ints places) { return gather(xs, places); }, "list-index",
                   "but got 3", ints(), list<int>({0, 3}));
}

TEST(ListFunctionErrors, WindowsThatCannotBe) {
  expect_words([&] { slide(ints(), 0); }, ErrorKind::value,
               "slide: [list-argument] argument 'window': expected at least 1, but got 0");
  expect_words([&] { slide(ints(), 2, {.stride = 0}); }, ErrorKind::value,
               "slide: [list-argument] argument 'stride': expected at least 1, but got 0");
  expect_words([&] { slide(ints(), 2, {.dilation = -1}); }, ErrorKind::value,
               "slide: [list-argument] argument 'dilation': expected at least 1, but got -1");
  expect_words([&] { slide(ints(), 2, {.padding = -1}); }, ErrorKind::value,
               "slide: [list-argument] argument 'padding': expected at least 0, but got -1");
  expect_words([&] { fractal::window(1, ints(), 4); }, ErrorKind::value,
               "window: [list-argument] argument 'window': expected an odd number, as windows have "
               "a centre, but got 4");
  expect_words(
      [&] { fractal::split(ints(), 4); }, ErrorKind::value,
      "split: [window-too-large] expected a list of at least 4 elements, but got one of 3");
  expect_words([&] { slide(ints(), int64_t{1} << 62, {.dilation = 4}); }, ErrorKind::value,
               "slide: [extent-overflow]");
  expect_words([&] { slide(rows(), 3, {.padding = 1, .value = {0}}); }, ErrorKind::type,
               "slide: [list-type] argument 'value': expected a list of tensors around it, but got "
               "list<list<int32[]>>");
  expect_words(
      [&] { slide(ints(), 3, {.padding = 1, .value = {0, 0}}); }, ErrorKind::type,
      "slide: [list-type] argument 'value': expected a value for each of the 1 parts of an "
      "element, but got 2");
  expect_words(
      [&] { slide(ints(), 3, {.padding = 1, .value = {Array::of<int>({1, 2})}}); }, ErrorKind::type,
      "slide: [list-type] argument 'value': expected int32[], as the leaves are, but got int32[2]");
  expect_run_error([](Ints xs) { return fractal::split(xs, 4); }, "window-too-large",
                   "of at least 4 elements, but got one of 3", ints());
}

TEST(ListFunctionErrors, CountsBelowTheLeast) {
  expect_words([&] { fractal::repeat(ints(), -1); }, ErrorKind::value,
               "repeat: [list-argument] argument 'n': expected at least 0, but got -1");
  expect_words([&] { dilated_map([](Ints row) { return row; }, ints(), 0); }, ErrorKind::value,
               "dilated_map: [list-argument] argument 'dilation': expected at least 1, but got 0");
  expect_words([&] { dilate(ints(), 0); }, ErrorKind::value,
               "dilate: [list-argument] argument 'dilation': expected at least 1, but got 0");
  expect_words([&] { fractal::split(ints(), 0); }, ErrorKind::value,
               "split: [list-argument] argument 'n': expected at least 1, but got 0");
}

TEST(ListFunctionErrors, ListsOfOtherLengthsAndTypes) {
  expect_words([&] { zip(ints(), rows()); }, ErrorKind::value,
               "zip: [list-lengths] expected lists of one length, but got 3 for xs[0] and 2 for "
               "xs[1]");
  expect_run_error(
      [](Ints xs, Rows ys) { return map([](Tensor x, Ints) { return x; }, zip(xs, ys)); },
      "list-lengths", "but got 3 for xs[0] and 2 for xs[1]", ints(), rows());
  expect_words([&] { fractal::enumerate(ints(), rows()); }, ErrorKind::value,
               "enumerate: [list-lengths] expected lists of one length, but got 3 for xs[0] and 2 "
               "for xs[1]");
  auto nested = [](Ints xs, Rows ys) {
    return map([](Tensor x, std::tuple<Tensor, Ints>) { return x; }, zip(xs, zip(xs, ys)));
  };
  expect_run_error(nested, "list-lengths", "but got 3 for xs[0] and 2 for xs[1][1]", ints(),
                   rows());
  expect_words([&] { join(ints(), list<float>({1})); }, ErrorKind::type,
               "join: [list-type] argument 'xs[1]': expected list<int32[]>, as xs[0] is, but got "
               "list<float32[]>");
  expect_words([&] { join(std::vector<Ints>()); }, ErrorKind::value,
               "join: [no-operands] expected at least one list, but got none");
  expect_words([&] { fractal::flatten(ints(), 1); }, ErrorKind::index,
               "flatten: [axis-out-of-range]");
}

TEST(ListFunctionErrors, StatesOfOtherTypes) {
  auto widen = [](Tensor s, Tensor x) { return s + astype(x, DType::f64); };
  expect_words([&] { fold(widen, ints(), 0); }, ErrorKind::type,
               "fold: [carry-mismatch] state 0: expected int32[], but got float64[]");
  expect_words([&] { fractal::reduce(widen, ints()); }, ErrorKind::type,
               "reduce: [carry-mismatch] state 0: expected int32[], but got float64[]");
  expect_words([&] { filter([](Tensor x) { return x; }, ints()); }, ErrorKind::type,
               "filter: [list-type] argument 'p': expected a bool scalar for each "
               "element, but got int32[]");
}

TEST(ListFunctionErrors, NothingToStartFrom) {
  expect_words([&] { fold(add, slice(ints(), {3})); }, ErrorKind::value,
               "fold: [list-empty] expected an element or an initial value, but got an empty list");
  expect_run_error([](Ints xs) { return fractal::reduce(add, xs); }, "list-empty",
                   "but got an empty list", slice(ints(), {3}));
}

TEST(ListFunctionErrors, PathsOfElements) {
  auto each = [](auto f) {
    return [=](Rows xs) { return map([=](Ints row) { return f(row); }, xs); };
  };
  const Rows xs = list<int>({{1, 2}, {0}, {}});
  expect_run_error(each([](Ints row) { return row[1]; }), "list-index",
                   "expected an index into a list of length 1, but got 1 (at [1])", xs);
  expect_run_error(each([](Ints row) { return fractal::split(row, 2); }), "window-too-large",
                   "(at [1])", xs);
  expect_run_error(each([](Ints row) { return fractal::reduce(add, row); }), "list-empty",
                   "(at [2])", xs);
  auto steps = [](Ints row) {
    return fractal::scan([&](Tensor s, Tensor i) { return s + row[i]; }, row, 0);
  };
  expect_run_error(each(steps), "list-index", "of length 2, but got 2 (at [0][1])", xs);
  expect_run_error(
      [](Rows xs, Ints ys) {
        return map(
            [=](Ints row) {
              return map([](Tensor x, Tensor y) { return x + y; }, fractal::zip(row, ys));
            },
            xs);
      },
      "list-lengths", "expected lists of one length, but got 1 for xs[0] and 2 for xs[1] (at [1])",
      xs, list<int>({1, 2}));
}

TEST(ListFunctionErrors, TooLongARunHasNoPath) {
  auto f = jit([](Rows xs, Tensor x) {
    return std::pair{matmul(matmul(x, x), x), map([](Ints row) { return row[1]; }, xs)};
  });
  expect_words(
      [&] { f(rows(), zeros({400, 400})); }, ErrorKind::index,
      "jit: [list-index] index: expected an index into the list, but got one outside (first "
      "at row-major index 1; no path: the run is too long to repeat)");
}

TEST(ListFunctionErrors, TracedListsHaveNoElementsToLookAt) {
  const std::string words = "[traced-value] expected a list with elements, but got a traced "
                            "list<int32[]>; its lengths and elements are known to the running "
                            "program only";
  expect_words([&] { jit([](Ints xs) { return xs.size() > 1 ? xs : xs; })(ints()); },
               ErrorKind::type, "FractalTensor: " + words);
  expect_words(
      [&] {
        jit([](Ints xs) {
          for (Tensor x : xs)
            return x;
          return Tensor();
        })(ints());
      },
      ErrorKind::type, "FractalTensor: " + words);
  Ints kept;
  jit([&](Ints xs) { return kept = xs; })(ints());
  expect_words([&] { reverse(kept); }, ErrorKind::runtime, "reverse: [escaped-tracer]");
  EXPECT_THROW(reverse(Ints()), Error);
}

} // namespace
} // namespace kolam::test
