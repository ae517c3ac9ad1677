// Extents: normal form, divisions, text, hostile input, and random expressions against direct
// evaluation.
#include "kolam/support/extent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kolam/support/checked.h"
#include "kolam/support/error.h"

namespace kolam {
namespace {

const Extent n = Extent::symbol("n"), m = Extent::symbol("m"), k = Extent::symbol("k");

std::string slug_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.slug();
  }
  return "none";
}

TEST(Extent, SumsAndProductsAreEqualByTheRingLaws) {
  EXPECT_EQ(n + m, m + n);
  EXPECT_EQ((n + 1) - 1, n);
  EXPECT_EQ(n - n, Extent(0));
  EXPECT_EQ(n * (m + 1), m * n + n);
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ(n * 0, Extent());
  EXPECT_FALSE(n == m);
}

TEST(Extent, DivisionsSimplify) {
  EXPECT_EQ(ceildiv(2 * n, 2), n);
  EXPECT_EQ(floordiv(n * m, m), n);
  EXPECT_EQ(floordiv((n + 1) * m, n + 1), m);
  EXPECT_EQ(floordiv(n, 1), n);
  EXPECT_EQ(floordiv(n, n), Extent(1));
  EXPECT_EQ(floordiv(floordiv(n, 2), 3), floordiv(n, 6));
  EXPECT_EQ(ceildiv(ceildiv(n, 2), 3), ceildiv(n, 6));
  EXPECT_EQ(floordiv(n - 1, 2) + 1, ceildiv(n, 2));
  EXPECT_EQ(floordiv(n + 1, 2), ceildiv(n, 2));
  EXPECT_EQ(floordiv(4 * n + 6 * m, 8), floordiv(2 * n + 3 * m, 4));
  EXPECT_EQ(floordiv(n * m, n * k), floordiv(m, k));
  EXPECT_EQ(floordiv(n * m + m, m), n + 1);
  EXPECT_EQ(floordiv(n * m + 1, m), n + floordiv(1, m));
  EXPECT_EQ(floordiv(Extent(-7), 2), Extent(-4));
  EXPECT_EQ(ceildiv(Extent(-7), 2), Extent(-3));
}

TEST(Extent, MinAndMaxSimplify) {
  EXPECT_EQ(min(n, m), min(m, n));
  EXPECT_EQ(min(n, n), n);
  EXPECT_EQ(min(n, n + 1), n);
  EXPECT_EQ(max(n, n - 3), n);
  EXPECT_EQ(max(n, 0), n);
  EXPECT_EQ(min(n, -1), Extent(-1));
  EXPECT_EQ(min(min(n, m), k), min(n, min(m, k)));
  EXPECT_EQ(max(n + m, m), n + m);
}

TEST(Extent, PrintsInAFixedOrder) {
  EXPECT_EQ((m + n).to_string(), "m + n");
  EXPECT_EQ((2 * m + n - 1).to_string(), "2*m + n - 1");
  EXPECT_EQ((n - m).to_string(), "n - m");
  EXPECT_EQ((5 - n).to_string(), "-n + 5");
  EXPECT_EQ((n * m + n).to_string(), "m*n + n");
  EXPECT_EQ(ceildiv(n, 2).to_string(), "ceildiv(n, 2)");
  EXPECT_EQ(min(n, m + 2).to_string(), "min(m + 2, n)");
  EXPECT_EQ(Extent().to_string(), "0");
  EXPECT_EQ(to_string(Shape{n + 1, 4}), "[n + 1, 4]");
  EXPECT_EQ(to_string(Shape{}), "[]");
}

TEST(Extent, AnswersWhatItIs) {
  EXPECT_EQ(Extent(7).constant(), 7);
  EXPECT_EQ(n.constant(), std::nullopt);
  EXPECT_EQ(n.as_symbol(), "n");
  EXPECT_EQ((n + 1).as_symbol(), std::nullopt);
  EXPECT_EQ((n * ceildiv(m, k)).symbols(), (std::set<std::string>{"k", "m", "n"}));
  EXPECT_EQ(element_count({n, 2, m}), 2 * m * n);
  EXPECT_EQ(element_count({}), Extent(1));
}

TEST(Extent, EvaluatesAndSubstitutes) {
  EXPECT_EQ((ceildiv(n, 2) * m).evaluate({{"n", 5}, {"m", 4}}), 12);
  EXPECT_EQ(floordiv(n, m).evaluate({{"n", 5}, {"m", 0}}), 0);
  EXPECT_EQ((n + m).substitute({{"n", 2 * m}}), 3 * m);
  EXPECT_EQ(ceildiv(n, 2).substitute({{"n", 2 * m}}), m);
  EXPECT_EQ(floordiv(n, m).substitute({{"m", 0}}), Extent(0));
}

TEST(Extent, RefusesWrongUse) {
  EXPECT_EQ(slug_of([] { floordiv(n, 0); }), "extent-divisor");
  EXPECT_EQ(slug_of([] { ceildiv(n, -2); }), "extent-divisor");
  EXPECT_EQ(slug_of([] { n.evaluate({}); }), "extent-unbound");
  EXPECT_EQ(slug_of([] { Extent(INT64_MAX) + 1; }), "extent-overflow");
  EXPECT_EQ(slug_of([] { (n * INT64_MAX).evaluate({{"n", 2}}); }), "extent-overflow");
  EXPECT_EQ(slug_of([] { Extent::symbol("min"); }), "extent-symbol");
  EXPECT_EQ(slug_of([] { Extent::symbol("2n"); }), "extent-symbol");
  EXPECT_EQ(slug_of([] { Extent::symbol(""); }), "extent-symbol");
}

TEST(Extent, RefusesExpressionsThatGrowWithoutBound) {
  EXPECT_EQ(slug_of([] {
              Extent x = n;
              for (int i = 0; i < 100; ++i)
                x = min(x * x + m, floordiv(x, k) + i);
            }),
            "extent-too-large");
}

TEST(Extent, ParsesTheGrammar) {
  EXPECT_EQ(Extent::parse("n + 2*m - 1"), n + 2 * m - 1);
  EXPECT_EQ(Extent::parse(" ( n+1 ) * -2 "), -2 * n - 2);
  EXPECT_EQ(Extent::parse("-n + 2"), 2 - n);
  EXPECT_EQ(Extent::parse("min(n, m, 3)"), min(min(n, m), 3));
  EXPECT_EQ(Extent::parse("ceildiv(n, floordiv(m, 2))"), ceildiv(n, floordiv(m, 2)));
  EXPECT_EQ(Extent::parse("-9223372036854775808"), Extent(INT64_MIN));
  EXPECT_EQ(Extent::parse("n - 9223372036854775808"), n + INT64_MIN);
}

TEST(Extent, HostileTextIsRefused) {
  std::string deep = std::string(100000, '(') + "n" + std::string(100000, ')');
  std::string nested;
  for (int i = 0; i < 50000; ++i)
    nested += "min(n, ";
  std::string product = "1";
  for (int i = 0; i < 40; ++i)
    product += "*(a" + std::to_string(i) + " + 1)";
  for (const std::string& text : {deep,
                                  nested,
                                  product,
                                  std::string(),
                                  std::string(" "),
                                  std::string("()"),
                                  std::string("n +"),
                                  std::string("n n"),
                                  std::string("99999999999999999999"),
                                  std::string("9223372036854775808"),
                                  std::string("9223372036854775807 + 1"),
                                  std::string("floordiv(n, 0)"),
                                  std::string("min(n)"),
                                  std::string("floordiv(1, 2, 3)"),
                                  std::string("foo(n, m)"),
                                  std::string("n)"),
                                  std::string("n\0m", 3),
                                  std::string("\xff"),
                                  std::string("2n"),
                                  std::string("n ** m"),
                                  std::string("min"),
                                  std::string(",")})
    EXPECT_EQ(Extent::parse(text), std::nullopt) << text.substr(0, 40);
  EXPECT_EQ(Extent::parse(std::string(100000, '-') + "n"), n);
}

TEST(Extent, QuotientsAreNoGreaterThanWhatIsDivided) {
  Extent k = Extent::symbol("k"), m = Extent::symbol("m"), n = Extent::symbol("n");
  EXPECT_EQ(min(ceildiv(m, k), m), ceildiv(m, k));
  EXPECT_EQ(max(ceildiv(m, k), m), m);
  EXPECT_EQ(min(m * n, n * ceildiv(m, 128)), n * ceildiv(m, 128));
  EXPECT_EQ(min(floordiv(ceildiv(m, 4), k) + 1, m + 2), floordiv(ceildiv(m, 4), k) + 1);
  // -1 divided by 4 and rounded up is 0, which is greater.
  EXPECT_FALSE(min(ceildiv(m - n, 4), m - n) == ceildiv(m - n, 4));
}

using Sizes = std::map<std::string, int64_t>;

/// A random expression, and its value computed without normal forms.
struct Sample {
  Extent extent;
  std::function<int64_t(const Sizes&)> value;
};

Sample random_sample(std::mt19937& random, int depth) {
  auto pick = [&](int count) { return static_cast<int>(random() % count); };
  if (depth == 0 || pick(5) == 0) {
    if (pick(2) == 0) {
      int64_t number = pick(9) - 4;
      return {number, [=](const Sizes&) { return number; }};
    }
    std::string name(1, "kmn"[pick(3)]);
    return {Extent::symbol(name), [=](const Sizes& sizes) { return sizes.at(name); }};
  }
  Sample a = random_sample(random, depth - 1), b = random_sample(random, depth - 1);
  auto with = [&](Extent extent, auto combine) {
    return Sample{extent,
                  [=](const Sizes& sizes) { return combine(a.value(sizes), b.value(sizes)); }};
  };
  bool by_symbol = pick(3) == 0;
  int64_t number = pick(6) + 1;
  std::string name(1, "kmn"[pick(3)]);
  // Divisors are positive: a number, or symbol + number.
  Extent divisor = by_symbol ? Extent::symbol(name) * pick(3) + number : Extent(number);
  auto divided = [=](const Sizes& sizes) { return divisor.evaluate(sizes); };
  switch (pick(7)) {
  case 0:
    return with(a.extent + b.extent, [](int64_t x, int64_t y) { return x + y; });
  case 1:
    return with(a.extent - b.extent, [](int64_t x, int64_t y) { return x - y; });
  case 2:
    return with(a.extent * b.extent, [](int64_t x, int64_t y) { return x * y; });
  case 3:
    return with(min(a.extent, b.extent), [](int64_t x, int64_t y) { return std::min(x, y); });
  case 4:
    return with(max(a.extent, b.extent), [](int64_t x, int64_t y) { return std::max(x, y); });
  case 5:
    return {floordiv(a.extent, divisor),
            [=](const Sizes& sizes) { return floor_divide(a.value(sizes), divided(sizes)); }};
  default:
    return {ceildiv(a.extent, divisor),
            [=](const Sizes& sizes) { return ceil_divide(a.value(sizes), divided(sizes)); }};
  }
}

TEST(ExtentProperty, NormalFormsKeepTheValue) {
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    Sample sample = random_sample(random, 4);
    for (int trial = 0; trial < 8; ++trial) {
      Sizes sizes = {{"k", random() % 9}, {"m", random() % 9}, {"n", random() % 9}};
      ASSERT_EQ(sample.extent.evaluate(sizes), sample.value(sizes))
          << "seed " << seed << ": " << sample.extent.to_string();
    }
  }
}

TEST(ExtentProperty, TextRoundTrips) {
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    Extent extent = random_sample(random, 4).extent;
    std::optional<Extent> read = Extent::parse(extent.to_string());
    ASSERT_TRUE(read) << "seed " << seed << ": " << extent.to_string();
    ASSERT_EQ(read->to_string(), extent.to_string()) << "seed " << seed;
  }
}

TEST(ExtentProperty, LawsGiveEqualValues) {
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    Extent a = random_sample(random, 2).extent, b = random_sample(random, 2).extent,
           c = random_sample(random, 2).extent;
    int64_t number = random() % 5 + 1, other = random() % 5 + 1;
    ASSERT_EQ(a + (b + c), (c + a) + b) << "seed " << seed;
    ASSERT_EQ((a + b) - b, a) << "seed " << seed;
    ASSERT_EQ(a * (b + c), b * a + c * a) << "seed " << seed;
    ASSERT_EQ(min(a, b), min(b, a)) << "seed " << seed;
    ASSERT_EQ(max(a, b), max(b, a)) << "seed " << seed;
    ASSERT_EQ(min(a, a), a) << "seed " << seed;
    ASSERT_EQ(floordiv(a * number, number), a) << "seed " << seed;
    ASSERT_EQ(ceildiv(a * number + b, number), a + ceildiv(b, number)) << "seed " << seed;
    ASSERT_EQ(ceildiv(a, number), floordiv(a + (number - 1), number)) << "seed " << seed;
    bool divides = a.to_string().find("div") != std::string::npos;
    Extent once = floordiv(a, number * other), twice = floordiv(floordiv(a, number), other);
    ASSERT_TRUE(once == twice || divides) << "seed " << seed;
    ASSERT_EQ(floordiv(a * (n + 1), n + 1), a) << "seed " << seed;
  }
}

TEST(ExtentProperty, SubstitutionIsEvaluation) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    Extent extent = random_sample(random, 3).extent;
    Sizes sizes = {{"k", random() % 9}, {"m", random() % 9}, {"n", random() % 9}};
    std::map<std::string, Extent> replacements(sizes.begin(), sizes.end());
    ASSERT_EQ(extent.substitute(replacements), Extent(extent.evaluate(sizes))) << "seed " << seed;
  }
}

} // namespace
} // namespace kolam
