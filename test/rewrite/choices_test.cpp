// Every choice of the tables, from its row: it applies to programs of its generator, and both sides
// are equal, bit by bit or in its class.
#include "choice_programs.h"

#include <gtest/gtest.h>

#include <set>

namespace kolam::rewrite {
namespace {

class ChoiceTest : public testing::TestWithParam<Choice> {};

TEST_P(ChoiceTest, BothSidesAreEqual) {
  const Choice& choice = GetParam();
  auto context = driver::make_context();
  const std::vector<std::string> name{std::string(choice.name)};
  int exact = 0;
  for (uint64_t seed : seeds(24)) {
    SCOPED_TRACE("KOLAM_SEED=" + std::to_string(seed));
    driver::Module program{context, sample_of(choice, context.get(), seed)};
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*program.module)));
    const std::vector<Possible> steps =
        possible_steps(program.main(), name, 3, Keeps::reassociates);
    ASSERT_FALSE(steps.empty()) << text_of(*program.module);
    for (const auto& [step, is_exact, what] : steps) {
      SCOPED_TRACE(to_string(step));
      driver::Module other = program.clone();
      const Taken taken = take(other.main(), step, Keeps::reassociates);
      EXPECT_EQ(taken.is_exact, is_exact);
      ASSERT_TRUE(mlir::succeeded(mlir::verify(*other.module)));
      exact += taken.is_exact ? 1 : 0;
      const auto values = taken.is_exact ? Values::hard : Values::easy;
      expect_equal(program, other, taken.is_exact ? Keeps::exact : Keeps::reassociates, values,
                   seed);
      EXPECT_EQ(parse_step(to_string(step)), step);
    }
  }
  if (!std::getenv("KOLAM_SEED")) // of many programs some are exact
    EXPECT_TRUE(exact > 0 || (choice.keeps == Keeps::reassociates && !choice.is_exact));
}

INSTANTIATE_TEST_SUITE_P(Table, ChoiceTest, testing::ValuesIn(all_choices()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Choices, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Choice& choice : all_choices())
    EXPECT_TRUE(names.insert(choice.name).second) << choice.name;
}

driver::Module three_products() {
  return driver::
      parse(R"(func.func @main(%x: tensor<9x4xf32>, %y: tensor<4x5xf32>, %z: tensor<5x1xf32>) -> tensor<9x1xf32> {
    %0 = kolam.contract "mk,kn->mn" %x, %y <"chain<512>"> : (tensor<9x4xf32>, tensor<4x5xf32>) -> tensor<9x5xf32>
    %1 = kolam.contract "mk,kn->mn" %0, %z <"chain<512>"> : (tensor<9x5xf32>, tensor<5x1xf32>) -> tensor<9x1xf32>
    %2 = kolam.elementwise "tanh" %1 : (tensor<9x1xf32>) -> tensor<9x1xf32>
    return %2 : tensor<9x1xf32>
  })",
            "test")
          .program;
}

TEST(Choices, OldOpsAreMappedToNewOnes) {
  driver::Module program = three_products();
  const Taken taken =
      take(program.main(), parse_step("associate_products 1 factor=1 side=0"), Keeps::reassociates);
  // The inner product is gone, the outer one is two, and what reads it stays itself.
  EXPECT_EQ(taken.ops, (std::vector<std::vector<int64_t>>{{}, {0, 1}, {2}}));
  EXPECT_FALSE(taken.is_exact);
  EXPECT_EQ(ir::shape_of(program.main().getBody().front().front().getResult(0)),
            (Shape{Extent(4), Extent(1)}));
}

void expect_refused(const std::string& step, const std::string& words, Keeps keeps) {
  SCOPED_TRACE(step);
  driver::Module program = three_products();
  try {
    take(program.main(), parse_step(step), keeps);
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "plan-choice");
    EXPECT_NE(error.message().find(words), std::string::npos) << error.message();
  }
  EXPECT_EQ(text_of(*program.module), text_of(*three_products().module));
}

TEST(Choices, WhatDoesNotApplyIsRefused) {
  expect_refused("associate_product", "one of ", Keeps::exact);
  expect_refused("associate_products one", "parameter=1,2", Keeps::exact);
  expect_refused("associate_products 1 side", "parameter=1,2", Keeps::exact);
  expect_refused("associate_products 3", "an op below 3", Keeps::reassociates);
  expect_refused("associate_products 2", "a product one of whose factors", Keeps::reassociates);
  expect_refused("associate_products 1 factor=1 side=1", "a product", Keeps::reassociates);
  expect_refused("associate_products 1 factor=1 side=0", "keeps every bit", Keeps::exact);
  expect_refused("split_op 0 dim=0 cuts=9", "can be cut", Keeps::exact);
  expect_refused("split_op 0 dmi=0 cuts=3", "but got 'dmi'", Keeps::exact);
  std::string many = "split_op 0 dim=0 cuts=1";
  for (int cut = 2; cut < 5000; ++cut)
    many += "," + std::to_string(cut);
  expect_refused(many, "fewer than 4096 numbers", Keeps::exact);
  expect_refused("split_op 0 dim=2 cuts=1", "can be cut", Keeps::exact);
  expect_refused("sum_in_parts 0 dim=2 cuts=1 arity=1", "sums along", Keeps::reassociates);
}

TEST(Choices, ANameAloneIsTakenWhereverItApplies) {
  driver::Module program = three_products();
  const std::vector<std::string> texts{"split_op"};
  const std::vector<Taken> taken = take_all(program.main(), texts, 2, Keeps::exact);
  EXPECT_EQ(taken.size(), 3u); // each op along its rows
  expect_equal(three_products(), program, Keeps::exact, Values::hard, 1);
}

/// Parameters of a row by name, with numbers that may mean nothing.
Parameters any_parameters(const Choice& choice, std::mt19937_64& random) {
  constexpr int64_t kNumbers[] = {
      -1, 0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 1024, int64_t{1} << 40, INT64_MIN, INT64_MAX};
  Parameters parameters;
  const std::string words(choice.parameters);
  for (size_t colon = words.find(": "); colon != std::string::npos;
       colon = words.find(": ", colon + 1)) {
    const size_t space = words.rfind(' ', colon);
    std::vector<int64_t>& numbers = parameters[words.substr(space + 1, colon - space - 1)];
    for (uint64_t left = random() % 3 == 0 ? 1 + random() % 3 : 1; left > 0; --left)
      numbers.push_back(kNumbers[random() % std::size(kNumbers)]);
    std::ranges::sort(numbers);
  }
  return parameters;
}

TEST(Choices, AnyParametersAreRefusedOrKeepTheProgram) {
  auto context = driver::make_context();
  int taken = 0;
  for (const Choice& choice : all_choices())
    for (uint64_t seed : seeds(60)) {
      std::mt19937_64 random(seed);
      driver::Module program{context, sample_of(choice, context.get(), seed)};
      driver::Module other = program.clone();
      const auto ops = other.main().getBody().front().getOperations().size();
      Step step{std::string(choice.name), static_cast<int64_t>(random() % ops),
                any_parameters(choice, random)};
      SCOPED_TRACE(to_string(step) + " KOLAM_SEED=" + std::to_string(seed));
      const std::string before = text_of(*other.module);
      try {
        const Taken own = take(other.main(), step, Keeps::reassociates);
        ASSERT_TRUE(mlir::succeeded(mlir::verify(*other.module)));
        expect_equal(program, other, own.is_exact ? Keeps::exact : Keeps::reassociates,
                     Values::easy, seed);
        ++taken;
      } catch (const Error& error) {
        EXPECT_EQ(error.slug(), "plan-choice") << error.message();
        EXPECT_EQ(text_of(*other.module), before);
      }
    }
  EXPECT_TRUE(taken > 20 || std::getenv("KOLAM_SEED")) << taken;
}

// Coherency, for steps that are taken at random one after the other.
TEST(Choices, AnySequenceOfThemKeepsTheProgram) {
  auto context = driver::make_context();
  std::vector<std::string> names;
  for (const Choice& choice : all_choices())
    names.emplace_back(choice.name);
  for (uint64_t seed : seeds(40)) {
    SCOPED_TRACE("KOLAM_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Choice& first = all_choices()[random() % all_choices().size()];
    driver::Module program{context, sample_of(first, context.get(), seed)};
    driver::Module other = program.clone();
    bool is_exact = true;
    for (int taken = 0; taken < 4; ++taken) {
      const std::vector<Possible> steps =
          possible_steps(other.main(), names, 2, Keeps::reassociates);
      if (steps.empty())
        break;
      const Step& step = steps[random() % steps.size()].step;
      SCOPED_TRACE(to_string(step));
      is_exact &= take(other.main(), step, Keeps::reassociates).is_exact;
      ASSERT_TRUE(mlir::succeeded(mlir::verify(*other.module))) << text_of(*other.module);
    }
    expect_equal(program, other, is_exact ? Keeps::exact : Keeps::reassociates,
                 is_exact ? Values::hard : Values::easy, seed);
  }
}

} // namespace
} // namespace kolam::rewrite
