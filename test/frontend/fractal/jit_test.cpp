// jit of functions of lists: one program for all lengths, and what its arguments and results may
// be.
#include "test/frontend/fractal/everywhere.h"

#include <random>
#include <regex>

namespace kolam::fractal::test {
namespace {

struct Params {
  FractalTensor<Tensor> weights;
  Tensor bias;
  friend auto fields(Params& params) { return std::tie(params.weights, params.bias); }
};

TEST(JitOfLists, OneProgramServesAThousandLengths) {
  int traces = 0;
  auto sums = jit([&](Rows xss) {
    ++traces;
    return map([](Ints xs) { return reduce(add, xs, 0); }, xss);
  });
  std::mt19937 random(7);
  for (int call = 0; call < 1000; ++call) {
    std::vector<int64_t> values, offsets{0}, expected;
    for (int row = call % 37; row > 0; --row) {
      int64_t sum = 0;
      for (auto length = random() % 11; length > 0; --length) {
        values.push_back(static_cast<int64_t>(random() % 1000));
        sum += values.back();
      }
      offsets.push_back(static_cast<int64_t>(values.size()));
      expected.push_back(sum);
    }
    Rows xss = Rows::from_offsets(Array::of<int64_t>(values), {Array::of<int64_t>(offsets)});
    ASSERT_EQ(sums(xss), Ints::from_offsets(Array::of<int64_t>(expected))) << call;
  }
  EXPECT_EQ(traces, 1);
}

TEST(JitOfLists, TypesHaveProgramsOfTheirOwn) {
  int traces = 0;
  auto same = jit([&](Ints xs) {
    ++traces;
    return reverse(xs);
  });
  EXPECT_EQ(same(ints({1, 2})), ints({2, 1}));
  EXPECT_EQ(same(list<float>({1, 2})), list<float>({2, 1}));
  Tensor pairs = array<int64_t>({{1, 2}, {3, 4}});
  EXPECT_EQ(same(unbind(pairs)).to_string(), "list<int64[2]>\n[[3 4]\n [1 2]]");
  EXPECT_EQ(traces, 3);
  EXPECT_EQ(same(ints({})), ints({}));
  EXPECT_EQ(traces, 3);
}

TEST(JitOfLists, StandInsideStructsTuplesAndBesideTensors) {
  auto layer = [](std::tuple<Ints, Tensor> input, Params params) {
    auto [xs, scale] = input;
    Tensor bias = params.bias;
    auto results =
        map([&](Tensor x, Tensor w) { return x * w * scale + bias; }, zip(xs, params.weights));
    return Params{results, bias + scale};
  };
  Tensor two = Array::scalar<int64_t>(2), seven = Array::scalar<int64_t>(7);
  for (Backend backend : {Backend::interpret, Backend::cpu}) {
    Params out = jit(layer, {.backend = backend})(std::tuple(ints({1, 2, 3}), two),
                                                  Params{ints({10, 20, 30}), seven});
    EXPECT_EQ(out.weights, ints({27, 87, 187}));
    EXPECT_EQ(out.bias.item<int64_t>(), 9);
  }
}

TEST(JitOfLists, TakeAndGiveZips) {
  auto swapped = [](FractalTensor<std::tuple<Tensor, Ints>> pairs) {
    auto [numbers, lists] = unzip(pairs);
    return zip(lists, numbers);
  };
  auto given = zip(ints({1, 2}), rows({{3}, {}}));
  Iterator<Ints, Tensor> result = jit(swapped)(given);
  auto [lists, numbers] = result;
  EXPECT_EQ(lists, rows({{3}, {}}));
  EXPECT_EQ(numbers, ints({1, 2}));
}

TEST(JitOfLists, InsideAnotherJitIsACall) {
  auto inner = jit([](Ints xs) { return scan(add, xs); });
  auto outer = jit([&](Rows xss) { return map([&](Ints xs) { return inner(xs); }, xss); });
  EXPECT_EQ(outer(rows({{1, 2}, {4, 5, 6}, {3}})), rows({{1, 3}, {4, 9, 15}, {3}}));
}

TEST(JitOfLists, ListsWithElementsAreConstantsOfTheProgram) {
  Rows table = rows({{1}, {2, 3}});
  auto looked_up =
      jit([&](Ints places) { return map([&](Tensor i) { return table[i]; }, places); });
  EXPECT_EQ(looked_up(ints({1, 0, -1})), rows({{2, 3}, {1}, {2, 3}}));
}

TEST(JitOfLists, OrdersOfScansGiveTheSameBits) {
  auto paths = [](Rows xss, Ints start, Tensor zero) {
    return scan(
        [&](Ints above, Ints row) {
          auto cell = [](Tensor left, std::tuple<Tensor, Tensor> next) {
            return left * 3 + std::get<0>(next) - std::get<1>(next);
          };
          return fractal::scan(cell, zip(above, row), zero);
        },
        xss, start);
  };
  Rows xss = rows({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  Ints start = ints({1, 1, 1});
  Tensor zero = Array::scalar<int64_t>(0);
  Rows expected = jit(paths, {.backend = Backend::interpret})(xss, start, zero);
  for (ScanOrder order : {ScanOrder::automatic, ScanOrder::sequential, ScanOrder::waves})
    EXPECT_EQ(jit(paths, {.order = order})(xss, start, zero), expected);
}

TEST(JitOfLists, AProgramIsLoweredAndExplained) {
  auto sums = jit([](Rows xss) { return map([](Ints xs) { return reduce(add, xs, 0); }, xss); });
  Program program = sums.lower(rows({{1}}));
  std::vector<TensorSpec> parameters = program.parameters();
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(to_string(parameters[0].shape), "[n0]");
  EXPECT_EQ(to_string(parameters[1].shape), "[n1]");
  EXPECT_NE(program.as_text().find("kolam.list_reduce"), std::string::npos);
}

/// The lines that a text names are all of this file.
void expect_own_lines(const std::string& text) {
  const std::regex line(R"(([\w/.]+\.(cpp|h)):\d+)");
  auto found = std::sregex_iterator(text.begin(), text.end(), line);
  EXPECT_NE(found, std::sregex_iterator()) << text;
  for (; found != std::sregex_iterator(); ++found)
    EXPECT_TRUE((*found)[1].str().ends_with("jit_test.cpp")) << found->str() << " in\n" << text;
}

TEST(JitOfLists, ExplainNamesTheUsersLines) {
  using Pairs = FractalTensor<std::tuple<Tensor, Ints>>;
  auto inner = jit([](Rows xss) { return lengths(xss); });
  auto all = jit([&](Rows xss, Pairs pairs, StaticList<Tensor, 2> two) {
    auto rows = map([&](Ints row) { return scan(add, reverse(row), two[0]); }, xss);
    auto [numbers, others] = unzip(pairs);
    auto widths = map([](Tensor n, Tensor x) { return n + x; }, zip(inner(rows), numbers));
    auto dilated = dilated_map([](Ints part) { return reverse(part); }, widths, 2);
    for (Tensor x : two)
      dilated = map([&](Tensor y) { return x + y; }, dilated);
    Ints looped = fori_loop(0, 3, [](Tensor, Ints xs) { return reverse(xs); }, dilated);
    return std::tuple(rows, zip(dilated, others), looped);
  });
  Rows xss = rows({{1, 2}, {3}});
  Program program = all.lower(xss, zip(ints({1, 2}), xss), ints({1, 2}));
  expect_own_lines(program.explain());
}

} // namespace
} // namespace kolam::fractal::test
