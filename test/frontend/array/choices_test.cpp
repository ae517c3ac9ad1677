// Choices from C++: listed, taken, and in plans.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

auto products() {
  return jit([](Tensor x, Tensor y, Tensor z) { return matmul(matmul(x, y), z); });
}

const Array kX = Array::of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
const Array kY = Array::of<float>({1, 0, 2, 1, 1, 3}, {2, 3});
const Array kZ = Array::of<float>({1, 2, 3}, {3, 1});

TEST(Choices, AreListedAndTaken) {
  const Program program = products().lower(kX, kY, kZ);
  EXPECT_TRUE(possible_choices(program).empty()); // none keeps every bit
  const std::vector<PossibleChoice> found = possible_choices(program, {}, 2, "reassociate");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].text, "associate_products 1 factor=1 side=0");
  EXPECT_FALSE(found[0].is_exact);
  EXPECT_NE(found[0].what.find("choices_test.cpp"), std::string::npos);
  const Program other = rewritten(program, {found[0].text}, 2, "reassociate");
  EXPECT_NE(other.as_text(), program.as_text());
  EXPECT_TRUE(runtime::same_bits(other.run({kX, kY, kZ})[0], program.run({kX, kY, kZ})[0]));
}

TEST(Choices, AreTakenByPlans) {
  const auto f = products();
  const Plan plan = kolam::plan(
      f, {.workers = 2, .allow = "reassociate", .steps = 0, .choices = {"associate_products"}}, kX,
      kY, kZ);
  EXPECT_EQ(plan.data().trace[0].name, "associate_products");
  EXPECT_TRUE(plan.check(f.lower(kX, kY, kZ)).empty());
  EXPECT_TRUE(runtime::same_bits(plan.run({kX, kY, kZ})[0], f(kX, kY, kZ)));
}

TEST(Choices, OthersAreRefused) {
  const Program program = products().lower(kX, kY, kZ);
  auto slug_of = [&](const std::vector<std::string>& choices, int64_t workers,
                     const std::string& allow) {
    try {
      rewritten(program, choices, workers, allow);
    } catch (const Error& error) {
      return std::string(error.slug());
    }
    return std::string();
  };
  EXPECT_EQ(slug_of({"associate_products"}, 2, "exact"), "plan-choice");
  EXPECT_EQ(slug_of({"nothing"}, 2, "exact"), "plan-choice");
  EXPECT_EQ(slug_of({}, 0, "exact"), "plan-option");
  EXPECT_EQ(slug_of({}, 2, "some"), "plan-option");
  EXPECT_EQ(slug_of({}, 2, "exact"), "");
}

TEST(Choices, TheTableSaysWhatRowsMean) {
  for (const ChoiceRow& row : choice_rows()) {
    EXPECT_NE(row.equation.find('='), std::string::npos) << row.name;
    EXPECT_FALSE(row.condition.empty() || row.parameters.empty()) << row.name;
  }
}

} // namespace
} // namespace kolam
