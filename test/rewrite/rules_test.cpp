// Every rule of the tables, from its row: it applies on its example and keeps every bit.
#include "kolam/driver/parse.h"
#include "kolam/interp/interpreter.h"
#include "kolam/rewrite/engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace kolam {
namespace {

using runtime::Array;

/// Values among which rules that lose a bit are found: signed zeros, NaN, infinities, denormals.
Array hard_values() {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float tiny = std::numeric_limits<float>::denorm_min();
  return Array::of<float>({0.0f,  -0.0f, 1.0f,   -1.0f,  inf,    -inf,  std::nanf(""), tiny,
                           -tiny, 0.1f,  3e38f,  -3e38f, 1e-38f, 7.0f,  -0.3f,         16777217.0f,
                           2.5f,  -2.5f, 100.0f, 0.5f,   -7.75f, 1e10f, -1e-10f,       42.0f},
                          {4, 6});
}

class RuleTest : public testing::TestWithParam<rewrite::Rule> {};

TEST_P(RuleTest, AppliesToItsExampleAndKeepsEveryBit) {
  const rewrite::Rule& rule = GetParam();
  std::string text = "func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {\n" +
                     std::string(rule.example) + "\nreturn %r : tensor<4x6xf32>\n}\n";
  driver::Module program = driver::parse(text, std::string(rule.name)).program;
  std::vector<Array> arguments = {hard_values()};
  Array before = interp::interpret(program.main(), arguments)[0];
  auto counts = rewrite::apply_rules(*program.module, std::span(&rule, 1));
  EXPECT_GE(counts.at(std::string(rule.name)), 1);
  EXPECT_TRUE(runtime::same_bits(before, interp::interpret(program.main(), arguments)[0]));
}

INSTANTIATE_TEST_SUITE_P(Table, RuleTest, testing::ValuesIn(rewrite::all_rules()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(RulesTest, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const rewrite::Rule& rule : rewrite::all_rules())
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
}

// x + 0 is not x: -0 + 0 is +0.
TEST(RulesTest, AddingPositiveZeroStays) {
  driver::Module program =
      driver::parse(R"(func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
        %c = kolam.constant dense<0.0> : tensor<4x6xf32>
        %r = kolam.elementwise "add" %x, %c : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
        return %r : tensor<4x6xf32>
      })",
                    "zero")
          .program;
  auto rules = rewrite::all_rules();
  for (const auto& [name, count] : rewrite::apply_rules(*program.module, rules))
    EXPECT_EQ(count, 0) << name;
}

} // namespace
} // namespace kolam
