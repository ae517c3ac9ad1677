// Records hold what each numbered step did, all its executions together.
#include "kolam/runtime/run_steps.h"

#include <gtest/gtest.h>

namespace kolam::runtime {
namespace {

int32_t nothing(abi::Context*, void* const*, const int64_t*, int64_t, int64_t, abi::ErrorRecord*) {
  return abi::ok;
}

/// for i < 3 { bind n = i; nest over n; copy b0 to b1 }, with one more copy behind.
StepProgram three_turns() {
  Extent n = Extent::symbol("n");
  StepProgram program;
  program.buffers = {{DType::f32, {Extent(10)}, Place::result, 0, {}},
                     {DType::f32, {Extent(10)}, Place::result, 1, {}},
                     {DType::i64, {}, Place::arena, 0, Size(0)}};
  program.arena_bytes = 64;
  program.results = {0, 1};
  LoopStep loop;
  loop.counter = 2;
  loop.length = 3;
  loop.body = {{BindStep{Size(n), 2}}, {NestStep{0, {0}, {Size(n)}, Extent(1)}}, {CopyStep{0, 1}}};
  program.steps = {{loop}, {CopyStep{1, 0}}};
  number_steps(program);
  return program;
}

TEST(RecordSteps, AddsUpExecutions) {
  LinkedSteps steps(three_turns());
  std::vector<abi::NestCode> functions = {nothing};
  std::vector<StepRecord> records(3);
  for (int run = 1; run <= 2; ++run) {
    run_steps(steps, functions, {}, {}, {}, {}, nullptr, records);
    EXPECT_EQ(records[0].times, 3 * run);
    EXPECT_EQ(records[0].nest, 0);
    EXPECT_EQ(records[0].sizes, std::vector<double>{3.0 * run}); // 0 + 1 + 2
    EXPECT_EQ(records[1].times, 3 * run);
    EXPECT_EQ(records[1].bytes, 3 * run * 2 * 40);
    EXPECT_EQ(records[1].nest, -1);
    EXPECT_EQ(records[2].times, run);
    for (const StepRecord& record : records)
      EXPECT_GE(record.seconds, 0);
  }
}

TEST(RecordSteps, AreNotAskedFor) {
  LinkedSteps steps(three_turns());
  std::vector<abi::NestCode> functions = {nothing};
  EXPECT_EQ(run_steps(steps, functions, {}, {}, {}, {}, nullptr).results.size(), 2u);
}

} // namespace
} // namespace kolam::runtime
