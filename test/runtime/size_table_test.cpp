// The sizes of a program by number, and what a bound symbol changes.
#include "kolam/runtime/size_table.h"

#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam::runtime {
namespace {

const Extent n = Extent::symbol("n"), late = Extent::symbol("_0");

/// A bind of `_0`, a loop of n * _0 turns over a nest of n rows.
LinkedSteps steps() {
  StepProgram program;
  program.buffers.push_back({DType::f32, {n, late + 1}, Place::result, 0, {}});
  program.arena_bytes = n * 64;
  LoopStep loop;
  loop.length = n * late;
  loop.body = {{NestStep{0, {0}, {n, late}, n}}};
  program.steps = {{BindStep{late, -1, n - 7}}, {loop}};
  program.results = {0};
  return program;
}

const NestStep& nest_of(const LinkedSteps& steps) {
  return std::get<NestStep>(std::get<LoopStep>(steps.program().steps[1].what).body[0].what);
}

TEST(SizeTable, GivesEqualExtentsOneNumber) {
  LinkedSteps linked = steps();
  EXPECT_EQ(nest_of(linked).parallel.number, linked.shape(0)[0]);
  EXPECT_EQ(nest_of(linked).parallel.number, nest_of(linked).symbols[0].number);
  EXPECT_NE(nest_of(linked).parallel.number, nest_of(linked).symbols[1].number);
}

TEST(SizeTable, ComputesAnewWhatABoundSymbolChanges) {
  LinkedSteps linked = steps();
  SizeValues values(linked);
  values.start({{"n", 10}});
  const auto& bind = std::get<BindStep>(linked.program().steps[0].what);
  const auto& loop = std::get<LoopStep>(linked.program().steps[1].what);
  EXPECT_EQ(values[linked.program().arena_bytes.number], 640);
  EXPECT_EQ(values[loop.length.number], 0); // nothing is bound yet
  EXPECT_EQ(values[bind.extent.number], 3);
  values.bind(bind.symbol.number, 3);
  EXPECT_EQ(values[loop.length.number], 30);
  EXPECT_EQ(values[linked.shape(0)[1]], 4);
  values.bind(bind.symbol.number, 5);
  EXPECT_EQ(values[loop.length.number], 50);
  EXPECT_EQ(values[linked.program().arena_bytes.number], 640);
}

TEST(SizeTable, CountsOnlyBindingsThatChangeSomething) {
  LinkedSteps linked = steps();
  SizeValues values(linked);
  values.start({{"n", 10}});
  const auto& bind = std::get<BindStep>(linked.program().steps[0].what);
  values.bind(bind.symbol.number, 3);
  const int64_t changes = values.changes();
  values.bind(bind.symbol.number, 3);
  EXPECT_EQ(values.changes(), changes);
  EXPECT_EQ(values[linked.shape(0)[1]], 4);
  values.bind(bind.symbol.number, 0);
  EXPECT_GT(values.changes(), changes);
  EXPECT_EQ(values[linked.shape(0)[1]], 1);
}

/// Which symbols a run has bound itself says nothing of how the next one starts.
TEST(SizeTable, SaysWhetherARunHasTheSizesOfTheLast) {
  LinkedSteps linked = steps();
  SizeValues first(linked);
  EXPECT_EQ(first.start({{"n", 10}, {"other", 1}}), SizeValues::Start::fresh);
  const auto& bind = std::get<BindStep>(linked.program().steps[0].what);
  first.bind(bind.symbol.number, 3);
  EXPECT_EQ(first[linked.shape(0)[1]], 4);
  SizeValues second(linked, first.take_memory());
  EXPECT_EQ(second.start({{"n", 10}, {"other", 1}}), SizeValues::Start::same);
  EXPECT_EQ(second[linked.shape(0)[1]], 4);
  SizeValues third(linked, second.take_memory());
  EXPECT_EQ(third.start({{"n", 11}, {"other", 1}}), SizeValues::Start::changed);
  EXPECT_EQ(third[linked.program().arena_bytes.number], 704);
}

TEST(SizeTable, NumbersProgramsAndTheirNests) {
  LinkedSteps one = steps(), other = steps();
  EXPECT_NE(one.number(), other.number());
  StepProgram program = one.program();
  program.steps.push_back({NestStep{0, {0, 0}, {n}, n}});
  LinkedSteps two(program);
  EXPECT_EQ(nest_of(two).number, 0);
  const auto& last = std::get<NestStep>(two.program().steps[2].what);
  EXPECT_EQ(last.number, 1);
  ASSERT_EQ(two.nest_places().size(), 2u);
  EXPECT_EQ(two.nest_places()[1].first_pointer, 1);
  EXPECT_EQ(two.nest_places()[1].first_extent, 2);
  EXPECT_EQ(two.pointer_count(), 3);
  EXPECT_EQ(two.extent_count(), 3);
}

TEST(SizeTable, RefusesNumbersThatDoNotFit) {
  LinkedSteps linked = steps();
  SizeValues values(linked);
  values.start({{"n", INT64_MAX / 2}});
  EXPECT_THROW(values[linked.program().arena_bytes.number], Error);
}

} // namespace
} // namespace kolam::runtime
