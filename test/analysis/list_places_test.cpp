// Places of elements: through accesses, bodies and joins.
#include "kolam/analysis/list_places.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

Extent expression(const std::string& text) { return Extent::parse(text).value(); }

/// A list of lists in buffer 0, of n lists of m elements.
struct Fixture {
  Terms terms;
  Placing placing{terms};
  Places list{{{0, place_symbols(2), {}}}, {expression("n"), expression("m")}, std::nullopt};

  Places accessed(const Places& of, const std::vector<std::string>& lengths,
                  const std::vector<std::string>& index) {
    Shape new_lengths, at;
    for (const std::string& text : lengths)
      new_lengths.push_back(expression(text));
    for (const std::string& text : index)
      at.push_back(expression(text));
    return placing.accessed(of, new_lengths, at, {}, nullptr);
  }
};

std::string text(const Places& places) {
  std::string result;
  for (const Part& part : places.parts) {
    result += "b" + std::to_string(part.buffer) + to_string(part.index);
    for (const PlaceBounds& range : part.where)
      result += " " + range.lower.to_string() + (range.outside ? " !<= " : " <= ") +
                range.value.to_string() + " < " + range.upper.to_string();
    result += ";";
  }
  return result + " " + to_string(places.lengths);
}

TEST(ListPlaces, ElementsLeaveALevelBehind) {
  Fixture at;
  EXPECT_EQ(text(at.placing.element(at.list, expression("i0 + 1"))), "b0[i0 + 1, k0]; [m]");
}

TEST(ListPlaces, ListsOfResultsHaveALevelMore) {
  Fixture at;
  Places element = at.placing.element(at.list, expression("2*i0"));
  EXPECT_EQ(text(at.placing.collected(element, "i0", expression("k0"), expression("r"))),
            "b0[2*k0, k1]; [r, m]");
}

TEST(ListPlaces, AccessesCompose) {
  Fixture at;
  Places reversed = at.accessed(at.list, {"L"}, {"L - j0 - 1"});
  Places windows = at.accessed(reversed, {"L - 2", "3"}, {"j0 + j1"});
  EXPECT_EQ(text(windows), "b0[n - k0 - k1 - 1, k2]; [n - 2, 3, m]");
  EXPECT_EQ(text(at.accessed(windows, {"1"}, {"5", "j0 + 1"})), "b0[n - k0 - 7, k1]; [1, m]");
}

TEST(ListPlaces, EndsOfSlicesAreNumbersWhereThatIsTheSame) {
  Fixture at;
  EXPECT_EQ(
      text(at.accessed(at.list, {"max(0, min(L, max(0, L - 2)) - min(2, L))"}, {"j0 + min(2, L)"})),
      "b0[k0 + 2, k1]; [max(0, n - 4), m]");
  EXPECT_EQ(text(at.accessed(at.list, {"max(0, L - min(L, max(0, L - 1)))"},
                             {"j0 + min(L, max(0, L - 1))"})),
            "b0[k0 + n - 1, k1]; [min(1, n), m]");
}

TEST(ListPlaces, JoinedListsAreParts) {
  Fixture at;
  EXPECT_EQ(text(at.placing.joined({at.list, at.list})),
            "b0[k0, k1] 0 <= k0 < n;b0[k0 - n, k1] n <= k0 < 2*n; [2*n]");
}

TEST(ListPlaces, PaddingLiesOutside) {
  Fixture at;
  Places rows{{{0, place_symbols(1), {}}}, {expression("n")}, std::nullopt};
  Places pad{{{1, {}, {}}}, {}, std::nullopt};
  EXPECT_EQ(
      text(at.placing.accessed(rows, {expression("L + 2")}, {expression("j0 - 1")}, {}, &pad)),
      "b0[k0 - 1] 1 <= k0 < n + 1;b1[] 1 !<= k0 < n + 1; [n + 2]");
}

TEST(ListPlaces, PartsThatNoPlaceIsInAreLeftOut) {
  std::vector<Part> parts{{0, {}, {{expression("i0"), 0, 1}, {expression("i0 - 1"), 0, 5}}},
                          {1, {}, {{expression("i0"), 0, 4}, {expression("i0"), 2, 9}}},
                          {2, {}, {{3, 0, 4}}}};
  simplify(parts);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].buffer, 1);
  EXPECT_EQ(text({parts, {}, std::nullopt}), "b1[] 2 <= i0 < 4;b2[]; []");
}

TEST(ListPlaces, TooManyPartsAreNotListed) {
  Fixture at;
  Places list = at.list;
  for (int i = 0; i < 9; ++i)
    list = at.placing.joined({list, list});
  ASSERT_EQ(list.parts.size(), 1u);
  EXPECT_EQ(list.parts[0].buffer, kUnlisted);
}

TEST(ListPlaces, TooLargeExpressionsAreNotListed) {
  Fixture at;
  Places list = at.list;
  for (int i = 0; i < 300; ++i)
    list = at.accessed(list, {"L"}, {"floordiv(j0*(L + " + std::to_string(i) + "), L + j0 + 1)"});
  EXPECT_EQ(list.parts[0].buffer, kUnlisted);
}

TEST(ListPlaces, IndicesAsAffineMaps) {
  std::vector<std::string> dims{"i0", "i1"};
  EXPECT_EQ(to_string(affine_map_of({expression("i1 + 2*i0 - n"), expression("3")}, dims).value()),
            "[2 1 | -n; 0 0 | 3]");
  EXPECT_FALSE(affine_map_of({expression("floordiv(i0, 2)")}, dims));
  EXPECT_FALSE(affine_map_of({expression("i0*i1")}, dims));
}

} // namespace
} // namespace kolam::analysis
