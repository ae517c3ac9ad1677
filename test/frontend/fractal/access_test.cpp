// Reading lists by parts: each function at once and traced on both backends, against values by
// hand.
#include "test/frontend/fractal/lists.h"

namespace kolam::fractal::test {
namespace {

using namespace detail;

const std::vector<int64_t> kSeven = {0, 1, 2, 3, 4, 5, 6};
const std::vector<int64_t> kNone = {};

List seven() { return list_of(kSeven); }
List ragged() { return list_of(Nested{{0, 1, 2}, {}, {3, 4}}); }

TEST(ListAccess, IndexCountsFromEitherEnd) {
  auto at = [](const Operand& i) {
    return std::get<Tensor>(detail::index(Parts{seven()}, i)[0]).item<int64_t>();
  };
  EXPECT_EQ(at(2), 2);
  EXPECT_EQ(at(-1), 6);
  EXPECT_EQ(at(Array::scalar<int32_t>(-7)), 0);
  expect(
      ragged(), [](const Parts& xs) { return Parts{std::get<List>(index(xs, -1)[0])}; },
      list_of({3, 4}));
}

TEST(ListAccess, SliceAsPython) {
  struct Case {
    Slice slice;
    std::vector<int64_t> expected;
  };
  const std::vector<Case> cases = {
      {{}, kSeven},          {{2}, {2, 3, 4, 5, 6}},
      {{-3}, {4, 5, 6}},     {{{}, -2}, {0, 1, 2, 3, 4}},
      {{2, -2}, {2, 3, 4}},  {{5, 2}, kNone},
      {{-100, 100}, kSeven}, {{1, 6, 2}, {1, 3, 5}},
      {{{}, {}, 100}, {0}},  {{{}, {}, -1}, {6, 5, 4, 3, 2, 1, 0}},
      {{5, 1, -2}, {5, 3}},  {{-2, {}, -3}, {5, 2}},
      {{1, 5, -1}, kNone},   {{7}, kNone},
  };
  for (const Case& item : cases)
    expect(seven(), [&](const Parts& xs) { return slice(xs, item.slice); }, list_of(item.expected));
  expect(list_of(kNone), [](const Parts& xs) { return slice(xs, {1, -1}); }, list_of(kNone));
  expect(
      ragged(), [](const Parts& xs) { return slice(xs, {{}, {}, -2}); },
      list_of(Nested{{3, 4}, {0, 1, 2}}));
}

TEST(ListAccess, GatherByListAndTensor) {
  Tensor places = Array::of<int32_t>({6, 0, -4});
  expect(seven(), [&](const Parts& xs) { return gather(xs, places); }, list_of({6, 0, 3}));
  expect(seven(), [&](const Parts& xs) { return gather(xs, list_of({1, 1})); }, list_of({1, 1}));
  expect(
      ragged(), [&](const Parts& xs) { return gather(xs, list_of({2, 0})); },
      list_of(Nested{{3, 4}, {0, 1, 2}}));
  // Places that only the running program knows.
  Parts results = run({ragged(), list_of({1, -1})},
                      [](const Parts& both) { return gather({both[0]}, both[1]); });
  EXPECT_TRUE(results[0].host() == list_of(Nested{{}, {3, 4}}).host());
}

TEST(ListAccess, Reverse) {
  expect(seven(), [](const Parts& xs) { return reverse(xs); }, list_of({6, 5, 4, 3, 2, 1, 0}));
  expect(
      ragged(), [](const Parts& xs) { return reverse(xs); },
      list_of(Nested{{3, 4}, {}, {0, 1, 2}}));
  expect(list_of(kNone), [](const Parts& xs) { return reverse(xs); }, list_of(kNone));
}

TEST(ListAccess, DilateAndBack) {
  List nine = list_of({0, 1, 2, 3, 4, 5, 6, 7, 8});
  auto by = [](int64_t d) { return [d](const Parts& xs) { return dilate(xs, d); }; };
  expect(nine, by(1), list_of(Nested{{0, 1, 2, 3, 4, 5, 6, 7, 8}}));
  expect(nine, by(2), list_of(Nested{{0, 2, 4, 6, 8}, {1, 3, 5, 7}}));
  expect(nine, by(3), list_of(Nested{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}}));
  expect(nine, by(5), list_of(Nested{{0, 5}, {1, 6}, {2, 7}, {3, 8}, {4}}));
  expect(list_of({0, 1}), by(3), list_of(Nested{{0}, {1}, {}}));
  for (int64_t d : {1, 2, 4, 9, 12})
    expect(nine, [d](const Parts& xs) { return interleave(dilate(xs, d), d); }, nine);
}

TEST(ListAccess, SplitGivesTheRestToTheLast) {
  expect(
      seven(), [](const Parts& xs) { return split(xs, 3); },
      list_of(Nested{{0, 1}, {2, 3}, {4, 5, 6}}));
  expect(seven(), [](const Parts& xs) { return split(xs, 1); }, list_of(Nested{kSeven}));
  expect(list_of({7, 8}), [](const Parts& xs) { return split(xs, 2); }, list_of(Nested{{7}, {8}}));
}

TEST(ListAccess, ProductHasARowForEachOfTheSecond) {
  auto columns = [](const Parts& both) {
    auto [xss, yss] = product({both[0]}, {both[1]});
    return Parts{xss[0], yss[0]};
  };
  Parts results = run({list_of({0, 1, 2}), list_of({10, 20})}, columns);
  EXPECT_TRUE(results[0].host() == list_of(Nested{{0, 1, 2}, {0, 1, 2}}).host());
  EXPECT_TRUE(results[1].host() == list_of(Nested{{10, 10, 10}, {20, 20, 20}}).host());
  results = run({list_of({0, 1}), list_of(kNone)}, columns);
  EXPECT_TRUE(results[0].host() == list_of(Nested{}).host());
}

TEST(ListAccess, JoinOfRaggedLists) {
  Parts results = run({ragged(), list_of(Nested{}), list_of(Nested{{9}})}, [](const Parts& lists) {
    return join({{lists[0]}, {lists[1]}, {lists[2]}});
  });
  EXPECT_TRUE(results[0].host() == list_of(Nested{{0, 1, 2}, {}, {3, 4}, {9}}).host());
}

TEST(ListAccess, RepeatDeepens) {
  expect(
      list_of({7, 8}), [](const Parts& xs) { return repeat({xs[0]}, 3); },
      list_of(Nested{{7, 8}, {7, 8}, {7, 8}}));
  expect(list_of({7, 8}), [](const Parts& xs) { return repeat({xs[0]}, 0); }, list_of(Nested{}));
  Tensor one = Array::scalar<int64_t>(5);
  expect(
      list_of({0, 0}), [&](const Parts& xs) { return detail::repeat({one}, length(xs)); },
      list_of({5, 5}));
}

TEST(ListAccess, LeavesAsTensors) {
  Tensor pairs = kolam::array<int64_t>({{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(flatten_leaves(detail::unbind(pairs)).to_string(), "[1 2 3 4 5 6]");
  Tensor columns = flatten_leaves(detail::slices(pairs, 1), 1);
  EXPECT_TRUE(runtime::same_bits(columns.array(), pairs.array())) << columns.to_string();
  EXPECT_EQ(flatten_leaves(detail::slices(pairs, 0), 1).to_string(), "[[1 2 3 4 5 6]]");
  EXPECT_EQ(flatten_leaves(ragged()).to_string(), "[0 1 2 3 4]");
  EXPECT_EQ(stack(detail::unbind(pairs), 1).to_string(), "[[1 3 5]\n [2 4 6]]");
  EXPECT_EQ(detail::unbind(pairs, 1).host().to_string(), "[[1 3 5]\n [2 4 6]]");
  EXPECT_EQ(detail::slices(pairs, -1).type_text(), "list<int64[3, 1]>");
}

TEST(ListAccess, EachPartIsRead) {
  List letters = list_of({10, 11, 12});
  Parts both = run({list_of({0, 1, 2}), letters}, [](const Parts& xs) { return reverse(xs); });
  EXPECT_TRUE(both[0].host() == list_of({2, 1, 0}).host());
  EXPECT_TRUE(both[1].host() == list_of({12, 11, 10}).host());
}

TEST(ListAccess, SlicesBySymbols) {
  // The places of a slice come from an extent that only the running program knows.
  Parts results = run({seven(), list_of({1, 1, 1})}, [](const Parts& both) {
    return slice({both[0]}, {leaves(both[1]).shape()[0]});
  });
  EXPECT_TRUE(results[0].host() == list_of({3, 4, 5, 6}).host());
}

} // namespace
} // namespace kolam::fractal::test
