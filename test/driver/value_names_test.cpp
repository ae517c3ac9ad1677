// Which names a text knows where.
#include "kolam/driver/value_names.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

/// Names and brackets of a text of one-letter names, in order; the first use that is not known, or
/// "".
std::string unknown(const std::string& text) {
  ValueNames names(text);
  for (size_t at = 0; at < text.size(); ++at) {
    std::string_view rest = std::string_view(text).substr(at);
    if (rest.starts_with("func.func"))
      names.begin_function();
    else if (rest.starts_with("^"))
      names.begin_block();
    else if (rest.starts_with("(") || rest.starts_with("{") || rest.starts_with("<"))
      names.open(text[at]);
    else if (rest.starts_with(")") || rest.starts_with("}") || rest.starts_with(">"))
      names.close(text[at]);
    else if (rest.starts_with("%") && !names.see(rest.substr(1, 1), at))
      return std::string(rest.substr(1, 1));
  }
  return "";
}

TEST(ValueNames, AreKnownBehindTheirDefinition) {
  EXPECT_EQ(unknown("%a = f\n%b = g %a, %a : t"), "");
  EXPECT_EQ(unknown("%b = g %a : t\n%a = f"), "a");
  EXPECT_EQ(unknown("%a, %b = f\n%c:2 = g %a, %b\nh %c#1"), "");
  EXPECT_EQ(unknown("g %a, %b\n%b = f"), "a");
  EXPECT_EQ(unknown("%a = f\ng %a, %b\nx = y"), "b");
}

TEST(ValueNames, OfParametersAreDefinitions) {
  EXPECT_EQ(unknown("func.func @m(%a: t<4>, %b: t) -> t {\nf %a, %b\n}"), "");
  EXPECT_EQ(unknown("func.func @m(%a: t) {\n}\nfunc.func @n(%b: t) {\nf %a\n}"), "a");
  EXPECT_EQ(unknown("func.func @m() {\n%w = f (%w)\n}"), "");
  EXPECT_EQ(unknown("func.func @m(%a: t) {\nf (%b: t)\n}"), "b");
  EXPECT_EQ(unknown("func.func @m(%a: t) {\nf carry(%a) {\n^s(%b: t, %c: t):\ng %a, %b, %c\n}\n}"),
            "");
}

TEST(ValueNames, OfRegionsEndWithThem) {
  EXPECT_EQ(unknown("{\n%a = f\n}\ng %a"), "a");
  EXPECT_EQ(unknown("{\n^s(%a: t):\n}, {\n^r(%a: t):\ng %a\n}"), "");
  EXPECT_EQ(unknown("%a = f\n{\ng %a\n}"), "");
}

TEST(ValueNames, OutsideOfAFunctionAreUnknownInside) {
  EXPECT_EQ(unknown("%a = f\nfunc.func @m() {\ng %a\n}"), "a");
  EXPECT_EQ(unknown("{\nfunc.func @m() {\n%a = f\n}\nfunc.func @n() {\n%a = f\ng %a\n}\n}"), "");
}

} // namespace
} // namespace kolam::driver
