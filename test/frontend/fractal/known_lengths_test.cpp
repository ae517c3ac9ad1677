// Lengths that follow from a list's making: tensors stacked of such rows have known shapes.
#include "test/frontend/fractal/everywhere.h"

namespace kolam::fractal::test {
namespace {

/// The rows that `cut` makes of 0, 1, ... 6, as rows of a matrix of `columns`.
template <class Cut> void expect_known(const Cut& cut, int64_t columns) {
  auto stacked = jit([&](Ints xs) {
    return map(
        [&](Ints row) {
          Tensor all = stack(row);
          EXPECT_EQ(all.shape(), Shape{columns});
          return all;
        },
        cut(xs));
  });
  Ints xs = ints({0, 1, 2, 3, 4, 5, 6});
  const runtime::List rows = cut(xs).parts()[0].host(), found = stacked(xs).parts()[0].host();
  ASSERT_EQ(found.size(), rows.size());
  for (int64_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(runtime::same_bits(found.leaf(i), rows.sublist(i).leaves())) << i;
}

TEST(KnownLengths, OfWindows) {
  expect_known([](Ints xs) { return slide(xs, 3); }, 3);
}

TEST(KnownLengths, OfWhatIsReadOfThem) {
  expect_known([](Ints xs) { return map([](Ints row) { return reverse(row); }, slide(xs, 2)); }, 2);
  expect_known([](Ints xs) { return reverse(slide(xs, 4)); }, 4);
}

TEST(KnownLengths, OfRowsByElements) {
  expect_known([](Ints xs) { return map([](Tensor x) { return fractal::repeat(x, 3); }, xs); }, 3);
}

TEST(KnownLengths, OfRowsThatTheProgramHolds) {
  const Rows held = rows({{1, 2}, {3, 4}, {5, 6}});
  expect_known([=](Ints) { return held; }, 2);
}

TEST(KnownLengths, AreLeftOpenWhereDataDecides) {
  auto total = jit([](Rows all_rows) {
    return map(
        [](Ints row) {
          Tensor all = stack(row);
          EXPECT_FALSE(all.shape()[0].constant());
          return sum(all);
        },
        all_rows);
  });
  expect_same(total(rows({{1}, {2, 3}})), ints({1, 5}));
}

} // namespace
} // namespace kolam::fractal::test
