// Values of documents and their paths.
#include "kolam/plan/document.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test/runtime/expect_error.h"

namespace kolam::plans {
namespace {

std::string words(const std::function<void()>& call) { return error_of(call).message(); }

TEST(Document, Values) {
  const ReadJson document =
      parsed(R"({"a": [1, -2], "b": {"c": true, "d": "inf"}, "e": 2})", "bad-plan");
  const Place place(document, "bad-plan");
  EXPECT_EQ(integers(place["a"]), (std::vector<int64_t>{1, -2}));
  EXPECT_TRUE(place["b"]["c"].truth());
  EXPECT_EQ(place["b"]["d"].number(), INFINITY);
  EXPECT_EQ(place["e"].number(), 2.0);
  EXPECT_EQ(place.keys(), (std::vector<std::string>{"a", "b", "e"}));
  place.expect_keys({"e", "a", "b"});
}

TEST(Document, Faults) {
  const ReadJson document = parsed(R"({"a": [{"b": [1, null]}]})", "bad-plan");
  const Place place(document, "bad-plan");
  EXPECT_EQ(words([&] { integers(place["a"].at(0)["b"]); }),
            "a[0].b[1]: expected an integer of 64 bits, but got null");
  EXPECT_EQ(words([&] { place["a"]["b"].text(); }), "a: expected an object, but got a list of 1");
  EXPECT_EQ(words([&] { place.at(0).truth(); }), "expected a list, but got an object");
  EXPECT_EQ(words([&] { place["a"].truth(); }), "a: expected true or false, but got a list of 1");
  EXPECT_EQ(words([&] { (void)place["a"].at(1); }),
            "a: expected a list of more than 1, but got a list of 1");
  EXPECT_EQ(words([&] { place["a"].at(0).expect_keys({}); }),
            "a[0]: expected no key \"b\", but got an object");
  EXPECT_EQ(words([&] { place["a"].at(0)["b"].at(0).integer(2, 3); }),
            "a[0].b[0]: expected an integer from 2 to 3, but got 1");
}

TEST(Document, LongValuesAreCut) {
  const ReadJson document = parsed('"' + std::string(5000, 'x') + '"', "bad-plan");
  EXPECT_LT(words([&] { Place(document, "bad-plan").integer(); }).size(), 120u);
  EXPECT_LT(words([&] { parsed(std::string(5000, 'x'), "bad-plan"); }).size(), 260u);
}

TEST(Document, NumbersThatJsonHasNot) {
  EXPECT_EQ(number_json(0.5).dump(), "0.5");
  EXPECT_EQ(number_json(NAN).dump(), "\"nan\"");
  EXPECT_EQ(number_json(-INFINITY).dump(), "\"-inf\"");
}

} // namespace
} // namespace kolam::plans
