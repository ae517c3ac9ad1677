// Values of unknown functions as symbols.
#include "kolam/analysis/terms.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

Extent symbol(const char* name) { return Extent::symbol(name); }

TEST(Terms, EqualArgumentsGiveEqualSymbols) {
  Terms terms;
  int f = terms.function("f"), g = terms.function("g");
  EXPECT_EQ(terms.value(f, {symbol("i0")}), terms.value(f, {symbol("i0")}));
  EXPECT_FALSE(terms.value(f, {symbol("i0")}) == terms.value(f, {symbol("i1")}));
  EXPECT_FALSE(terms.value(f, {symbol("i0")}) == terms.value(g, {symbol("i0")}));
}

TEST(Terms, SubstitutionReachesArguments) {
  Terms terms;
  int f = terms.function("f");
  Extent length = terms.value(f, {symbol("i0") + Extent(1)}) + symbol("i0");
  EXPECT_EQ(terms.substitute(length, {{"i0", symbol("k0")}}),
            terms.value(f, {symbol("k0") + Extent(1)}) + symbol("k0"));
}

TEST(Terms, DefinitionsArePutIn) {
  Terms terms;
  int f = terms.function("f"), g = terms.function("g");
  Extent before = terms.value(f, {Extent(3)});
  EXPECT_TRUE(terms.define(f, {"i0"}, terms.value(g, {symbol("i0")}) + symbol("i0")));
  EXPECT_EQ(terms.normalized(before), terms.value(g, {Extent(3)}) + Extent(3));
}

TEST(Terms, NothingIsDefinedTwiceOrByItself) {
  Terms terms;
  int f = terms.function("f"), g = terms.function("g");
  Extent inside = terms.value(g, {terms.value(f, {symbol("i0")})});
  EXPECT_FALSE(terms.define(f, {"i0"}, inside));
  EXPECT_TRUE(terms.define(g, {"i0"}, symbol("i0")));
  EXPECT_FALSE(terms.define(g, {"i0"}, Extent(1)));
  // By way of another definition.
  int h = terms.function("h");
  EXPECT_TRUE(terms.define(f, {"i0"}, terms.value(h, {symbol("i0")})));
  EXPECT_FALSE(terms.define(h, {"i0"}, terms.value(f, {symbol("i0")})));
}

TEST(Terms, AHeadIsAValueAtDifferentSymbols) {
  Terms terms;
  int f = terms.function("f");
  auto head = terms.head(terms.value(f, {symbol("i0"), symbol("k0")}));
  ASSERT_TRUE(head);
  EXPECT_EQ(head->parameters, (std::vector<std::string>{"i0", "k0"}));
  EXPECT_FALSE(terms.head(terms.value(f, {symbol("i0"), symbol("i0")})));
  EXPECT_FALSE(terms.head(terms.value(f, {Extent(1), symbol("i0")})));
  EXPECT_FALSE(terms.head(symbol("i0")));
}

} // namespace
} // namespace kolam::analysis
