// Walking steps with nests written by hand: pieces of long nests, cancellation, swaps, views.
#include "kolam/runtime/memory.h"
#include "kolam/runtime/run_steps.h"
#include "kolam/runtime/thread_pool.h"

#include "expect_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

namespace kolam::runtime {
namespace {

volatile int32_t stop = 0;
std::vector<std::pair<int64_t, int64_t>> ranges;

int32_t record_range(abi::Context*, void* const*, const int64_t*, int64_t begin, int64_t end,
                     abi::ErrorRecord*) {
  ranges.push_back({begin, end});
  return abi::ok;
}

int32_t ask_to_stop(abi::Context* context, void* const* buffers, const int64_t* extents,
                    int64_t begin, int64_t end, abi::ErrorRecord* error) {
  stop = 1;
  return record_range(context, buffers, extents, begin, end, error);
}

int32_t add_one(abi::Context*, void* const* buffers, const int64_t*, int64_t, int64_t,
                abi::ErrorRecord*) {
  *static_cast<int32_t*>(buffers[0]) = *static_cast<const int32_t*>(buffers[1]) + 1;
  return abi::ok;
}

RunOutcome run_one(const StepProgram& program, abi::NestFunction function, int threads = 1) {
  set_thread_count(threads);
  stop = 0;
  ranges.clear();
  std::vector<abi::NestCode> functions = {function};
  return run_steps(program, functions, {}, {}, {}, {}, &stop);
}

/// One nest over 1000 rows of the given work each.
StepProgram one_nest(double flops_per_cell) {
  StepProgram program;
  program.buffers.push_back({DType::f32, {Extent(1000)}, Place::result, 0, {}});
  NestStep nest{0, {0}, {}, Extent(1000)};
  nest.flops_per_cell = flops_per_cell;
  program.steps.push_back({nest});
  program.results = {0};
  return program;
}

TEST(RunSteps, RunsShortNestsInOneCall) {
  run_one(one_nest(1), record_range);
  EXPECT_EQ(ranges, (std::vector<std::pair<int64_t, int64_t>>{{0, 1000}}));
}

TEST(RunSteps, KnowsWhichProgramsAreShort) {
  EXPECT_TRUE(is_short(one_nest(1)));
  EXPECT_FALSE(is_short(one_nest(1e6)));
  StepProgram copies = one_nest(1);
  copies.buffers.push_back({DType::f32, {Extent(1000)}, Place::result, 1, {}});
  copies.steps.push_back({CopyStep{0, 1}});
  EXPECT_TRUE(is_short(copies));
  copies.buffers[1].shape = {Extent(int64_t{1} << 30)};
  EXPECT_FALSE(is_short(copies));
  copies.buffers[1].shape = {Extent::symbol("n")};
  EXPECT_FALSE(is_short(copies));
  StepProgram loop;
  loop.steps.push_back({LoopStep{}});
  EXPECT_FALSE(is_short(loop));
}

TEST(RunSteps, CoversLongNestsInPieces) {
  run_one(one_nest(1e6), record_range);
  EXPECT_GT(ranges.size(), 1u);
  int64_t reached = 0;
  for (auto [begin, end] : ranges) {
    EXPECT_EQ(begin, reached);
    EXPECT_LT(begin, end);
    reached = end;
  }
  EXPECT_EQ(reached, 1000);
}

TEST(RunSteps, CutsNestsOfTilesBetweenThem) {
  StepProgram program = one_nest(1e6);
  std::get<NestStep>(program.steps[0].what).least_piece = 40;
  run_one(program, record_range);
  EXPECT_GT(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].second, 48);
  for (auto [begin, end] : ranges)
    EXPECT_TRUE(begin % 16 == 0 && (end % 16 == 0 || end == 1000));
  EXPECT_EQ(ranges.back().second, 1000);
}

/// A row of a long state, written in its memory, is no long nest.
TEST(RunSteps, CountsWhatChangesInPlace) {
  StepProgram program = one_nest(1e6);
  program.buffers.push_back(
      {.dtype = DType::f32, .shape = {Extent(1000)}, .offset = {}, .same_as = 0});
  auto& nest = std::get<NestStep>(program.steps[0].what);
  nest.buffers = {0, 1};
  nest.changed = 1;
  nest.written = Extent(4);
  run_one(program, record_range);
  EXPECT_EQ(ranges, (std::vector<std::pair<int64_t, int64_t>>{{0, 1000}}));
  nest.flops_per_written = 1e7;
  run_one(program, record_range);
  EXPECT_GT(ranges.size(), 1u);
  nest.flops_per_written = 1;
  program.buffers[1].same_as = -1; // it is copied first
  run_one(program, record_range);
  EXPECT_GT(ranges.size(), 1u);
}

/// Each of two blocks would fit, but not both.
TEST(RunSteps, AsksForAllMemoryOfASizeAtOnce) {
  const Extent n = Extent::symbol("n");
  StepProgram program;
  for (int block = 0; block < 2; ++block)
    program.buffers.push_back({.dtype = DType::i8, .shape = {n}, .offset = {}, .is_late = true});
  program.steps = {{BindStep{.symbol = n,
                             .extent = Extent(available_memory() / 5 * 3),
                             .buffers = {0, 1},
                             .groups = {{0}, {1}}}},
                   {NestStep{0, {0}, {n}, Extent(1)}}};
  EXPECT_EQ(error_of([&] { run_one(program, record_range); }).slug(), "out-of-memory");
  EXPECT_TRUE(ranges.empty());
  std::get<BindStep>(program.steps[0].what).groups = {{0, 1}};
  run_one(program, record_range);
  EXPECT_EQ(ranges.size(), 1u);
}

TEST(RunSteps, SharesLongNestsBetweenThreads) {
  static std::vector<std::atomic<int>> times(1000);
  auto count = [](abi::Context*, void* const*, const int64_t*, int64_t begin, int64_t end,
                  abi::ErrorRecord*) -> int32_t {
    for (int64_t i = begin; i < end; ++i)
      ++times[i];
    return abi::ok;
  };
  run_one(one_nest(1e6), count, 3);
  EXPECT_TRUE(std::ranges::all_of(times, [](const auto& n) { return n == 1; }));
}

TEST(RunSteps, ReportsTheLowestOfSeveralErrors) {
  auto fail = [](abi::Context*, void* const*, const int64_t*, int64_t begin, int64_t,
                 abi::ErrorRecord* error) -> int32_t {
    *error = {abi::check_failed, 0, begin};
    return abi::check_failed;
  };
  EXPECT_EQ(run_one(one_nest(1e6), fail, 3).error.index, 0);
}

TEST(RunSteps, StopsBetweenPieces) {
  RunOutcome outcome = run_one(one_nest(1e6), ask_to_stop);
  EXPECT_EQ(outcome.error.code, abi::cancelled);
  EXPECT_TRUE(outcome.results.empty());
  EXPECT_EQ(ranges.size(), 1u);
}

TEST(RunSteps, StopsALoopWithoutEnd) {
  StepProgram program = one_nest(1);
  program.buffers.push_back({DType::boolean, {}, Place::constant, 0, {}});
  WhileStep loop{{}, 1, program.steps};
  program.steps = {{loop}};
  stop = 0;
  std::vector<abi::NestCode> functions = {ask_to_stop};
  std::vector<Array> constants = {Array::scalar(true)};
  RunOutcome outcome = run_steps(program, functions, constants, {}, {}, {}, &stop);
  EXPECT_EQ(outcome.error.code, abi::cancelled);
}

TEST(RunSteps, SwapsTheStateAndSlicesViews) {
  // for t in 0..5 downwards: next = state + 1; slot[t] = state; swap(state, next)
  StepProgram program;
  program.buffers = {{DType::i32, {}, Place::argument, 0, {}},
                     {DType::i32, {}, Place::arena, 0, Extent(0)},
                     {DType::i32, {}, Place::arena, 0, Extent(64)},
                     {DType::i32, {Extent(5)}, Place::result, 0, {}},
                     {DType::i32, {}, Place::view, 0, {}}};
  program.arena_bytes = 128;
  LoopStep loop;
  loop.length = 5;
  loop.reverse = true;
  loop.views = {{4, 3}};
  loop.body = {{NestStep{0, {2, 1}, {}, Extent(1)}}, {CopyStep{1, 4}}, {SwapStep{1, 2}}};
  program.steps = {{CopyStep{0, 1}}, {loop}};
  program.results = {3};
  std::vector<abi::NestCode> functions = {add_one};
  std::vector<Array> arguments = {Array::scalar(10)};
  RunOutcome outcome = run_steps(program, functions, {}, {}, arguments, {}, nullptr);
  EXPECT_TRUE(same_bits(outcome.results[0], Array::of<int32_t>({14, 13, 12, 11, 10})));
}

} // namespace
} // namespace kolam::runtime
