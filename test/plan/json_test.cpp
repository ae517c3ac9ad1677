// Plans as JSON: there and back, and documents that are none.
#include "kolam/plan/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kolam/plan/expand.h"
#include "test/plan/random_plan.h"
#include "test/runtime/expect_error.h"

namespace kolam::plans {
namespace {

/// A plan in which every field has a value of its own.
Plan full_plan() {
  Plan plan;
  plan.version = "0.1.0";
  plan.program = "\"quoted\" \u00e9";
  plan.workers = 4;
  plan.memory_per_worker = INT64_MAX;
  plan.keeps_results = true;
  plan.tensors = {{"x", DType::bf16, {INT64_MAX, 0}, 2, {1, 3}, -1},
                  {"p", DType::f32, {2}, -1, {}, 0}};
  space::Signature signature{"scan", {}, {}, true};
  signature.dims = {
      space::map_dim("i", 3),
      space::reduce_dim("m", 4, {"sd", {DType::f32, DType::i64}, false, true, true, true}),
      space::scan_dim("t", 5, space::Direction::backward, 2)};
  space::AffineRow row{{1, -2, 3}, -7, 4, 5};
  space::Operand operand{
      "x",  space::Role::inout, {9}, {{3, {row}}, {2}, {6}}, space::Policy::pad(-INFINITY), true,
      {-10}};
  signature.operands = {operand, operand};
  signature.operands[1].policy = space::Policy::pad(0.0);
  signature.operands[0].role = space::Role::scratch;
  plan.stages = {{"s", Work::merge, signature, {0, 1}}, {"l", Work::load, {}, {}}};
  plan.pieces = {{1, "line\nline", 1e300, 0.1}};
  plan.tasks = {{0,
                 {2, 3},
                 {1, {2, 3}},
                 {4, {5, 6}},
                 {{{7, {8, 9}}}, {10}},
                 {{}, {{}, {1}}},
                 {{}},
                 {{11, {12, 13}}}}};
  plan.moves = {{1, {2}, {3, {4}}, {5, {6}}, {7, {8}}, {{{9, {10}}}, {11}}}};
  plan.trace = {{"cut", "s", {{"axis", "0"}, {"by", "4"}}, false}};
  plan.cost = {{"time", 0.25}, {"work", INFINITY}};
  return plan;
}

TEST(PlanJson, EveryFieldComesBack) {
  const Plan plan = full_plan();
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  Plan other = plan;
  other.cost["time"] = NAN;
  EXPECT_TRUE(std::isnan(plan_from_json(to_json(other)).cost.at("time")));
}

TEST(PlanJson, OneLineEach) {
  Plan plan;
  plan.tensors = {{"x", DType::f32, {4}, 0, {}, -1}};
  EXPECT_EQ(to_json(plan), R"({"format": 1,
"version": "",
"program": "",
"workers": 1,
"memory_per_worker": 0,
"keeps_results": false,
"tensors": [
  {"name":"x","dtype":"float32","shape":[4],"argument":0,"results":[],"partial_of":-1}],
"stages": [],
"pieces": [],
"tasks": [],
"moves": [],
"trace": [],
"cost": {}}
)");
}

TEST(PlanJsonProperty, RandomPlansComeBack) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    Plan plan = random_plan(random);
    plan.tasks = folded(plan.tasks);
    ASSERT_EQ(plan_from_json(to_json(plan)), plan) << "seed " << seed;
  }
}

/// What the reader says of the full plan with one text in place of another.
std::string words_after(std::string_view old_text, std::string_view new_text) {
  std::string text = to_json(full_plan());
  const size_t at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  text.replace(at, old_text.size(), new_text);
  return error_of([&] { plan_from_json(text); }).message();
}

TEST(PlanJson, NamesThePlace) {
  EXPECT_EQ(words_after(R"("extent":[1])", R"("extent":4)"),
            "tasks[0].reads[1].extent: expected a list, but got 4");
  EXPECT_EQ(words_after(R"("extent":[10])", R"("extent":["a"])"),
            "tasks[0].index.extent[0]: expected an integer of 64 bits, but got \"a\"");
  EXPECT_EQ(words_after(R"("moves": [)", R"("gone": [)"),
            "expected no key \"gone\", but got an object");
  EXPECT_EQ(words_after(R"("worker":[4,5,6],)", ""),
            "tasks[0]: expected a key 'worker', but got an object");
  EXPECT_EQ(words_after(R"("workers": 4)", R"("workers": 9223372036854775808)"),
            "workers: expected an integer of 64 bits, but got 9223372036854775808");
  EXPECT_EQ(words_after(R"("workers": 4)", R"("workers": 1e3)"),
            "workers: expected an integer of 64 bits, but got 1000.0");
  EXPECT_EQ(words_after(R"("position":[1,2,3])", R"("position":[])"),
            "tasks[0].position: expected a list [first, steps...], but got a list of 0");
  EXPECT_EQ(words_after(R"("work":"merge")", R"("work":"rest")"),
            "stages[0].work: expected one of 'load', 'compute', 'merge', but got \"rest\"");
  EXPECT_EQ(words_after(R"("dtype":"bfloat16")", R"("dtype":"b16")"),
            "tensors[0].dtype: expected a dtype, but got \"b16\"");
  EXPECT_EQ(words_after(R"("input_rank":3)", R"("input_rank":3000000000)"),
            "stages[0].signature.operands[0].projection.input_rank: expected an integer from 0 to "
            "2147483647, but got 3000000000");
  EXPECT_EQ(words_after(R"("format": 1)", R"("format": 2)"),
            "format: expected format 1 of plans, but got 2");
  EXPECT_EQ(words_after(R"("extent":3)", R"("extent":"n")"),
            "stages[0].signature.dims[0].extent: expected an integer of 64 bits, but got \"n\"");
  EXPECT_EQ(words_after("0.25", "NaN").substr(0, 40), "expected JSON, but got a parse error at ");
}

TEST(PlanJson, SymbolicExtents) {
  Plan plan = full_plan();
  plan.stages[0].signature.dims[0].extent = Extent::symbol("n");
  EXPECT_EQ(error_of([&] { to_json(plan); }).message(),
            "expected extents that are numbers, but got 'n'");
}

TEST(PlanJson, NoUtf8) {
  Plan plan = full_plan();
  plan.program = "\xff";
  EXPECT_EQ(error_of([&] { to_json(plan); }).message(), "expected names and programs in UTF-8");
}

TEST(PlanJson, NestedDeeplyOrNothingAtAll) {
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("4"), std::string("\0\xff", 2),
        std::string(1000000, '['), std::string(1000000, '[') + std::string(1000000, ']'),
        "{\"format\": " + std::string(100000, '[') + std::string(100000, ']') + "}"})
    EXPECT_EQ(error_of([&] { plan_from_json(text); }).slug(), "bad-plan");
}

TEST(PlanJsonProperty, DamagedTextIsReadOrRefused) {
  const std::string text = to_json(full_plan());
  int refused = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    std::string damaged = text;
    const size_t at = random() % text.size();
    if (random() % 2)
      damaged[at] = static_cast<char>(random());
    else
      damaged.erase(at, 1 + random() % 20);
    try {
      plan_from_json(damaged);
    } catch (const Error& error) {
      ASSERT_EQ(error.slug(), "bad-plan");
      ++refused;
    }
  }
  EXPECT_GT(refused, 1500);
}

} // namespace
} // namespace kolam::plans
