// Runs of a program one after the other, which keep what sizes decide: other sizes, failures, runs
// inside runs.
#include "kolam/runtime/run_steps.h"
#include "kolam/runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <thread>

namespace kolam::runtime {
namespace {

const Extent n = Extent::symbol("n"), late = Extent::symbol("_0");

int64_t& number(void* buffer) { return *static_cast<int64_t*>(buffer); }

/// buffers[0][i] = i + buffers[1][0] for i < extents[0]
int32_t count_up(abi::Context*, void* const* buffers, const int64_t* extents, int64_t, int64_t,
                 abi::ErrorRecord*) {
  for (int64_t i = 0; i < extents[0]; ++i)
    (&number(buffers[0]))[i] = i + number(buffers[1]);
  return abi::ok;
}

/// buffers[0] = the sum of buffers[1], of extents[0] elements; fails where that is negative.
int32_t add_up(abi::Context*, void* const* buffers, const int64_t* extents, int64_t, int64_t,
               abi::ErrorRecord* error) {
  int64_t sum = 0;
  for (int64_t i = 0; i < extents[0]; ++i)
    sum += (&number(buffers[1]))[i];
  number(buffers[0]) = sum;
  *error = {sum < 0 ? abi::check_failed : abi::ok, 0, sum};
  return error->code;
}

/// b0, of n numbers, are argument 0 and on; _0 = argument 1; b3, of _0 numbers, likewise; the
/// result is their sum. In a loop of n turns, so that steps run with sizes that they know.
struct Sums {
  StepProgram program;
  Sums() {
    program.buffers = {{DType::i64, {n}, Place::result, 1, {}},
                       {DType::i64, {}, Place::argument, 0, {}},
                       {DType::i64, {}, Place::argument, 1, {}},
                       {DType::i64, {late}, Place::arena, 0, {}},
                       {DType::i64, {}, Place::result, 0, {}}};
    program.buffers[3].is_late = true;
    program.results = {4, 0};
    LoopStep loop;
    loop.length = n;
    loop.body = {{NestStep{0, {0, 1}, {n}, Extent(1)}},
                 {BindStep{.symbol = late, .size = 2, .buffers = {3}, .groups = {{3}}}},
                 {NestStep{0, {3, 1}, {late}, Extent(1)}},
                 {NestStep{1, {4, 3}, {late}, Extent(1)}}};
    program.steps = {{loop}};
  }
};

std::vector<abi::NestCode> functions = {count_up, add_up};

RunOutcome run(const LinkedSteps& steps, int64_t rows, int64_t first, int64_t count) {
  std::vector<Array> arguments = {Array::scalar(first), Array::scalar(count)};
  return run_steps(steps, functions, {}, {}, arguments, {{"n", rows}}, nullptr);
}

/// Whether a run gives what it means.
void expect_right(const LinkedSteps& steps, int64_t rows, int64_t first, int64_t count) {
  RunOutcome outcome = run(steps, rows, first, count);
  ASSERT_EQ(outcome.error.code, abi::ok);
  EXPECT_EQ(*static_cast<const int64_t*>(outcome.results[0].data()),
            count * (count - 1) / 2 + count * first);
  ASSERT_EQ(outcome.results[1].shape(), std::vector<int64_t>{rows});
  for (int64_t i = 0; i < rows; ++i)
    EXPECT_EQ(static_cast<const int64_t*>(outcome.results[1].data())[i], i + first);
}

TEST(RepeatedRuns, MayHaveOtherSizes) {
  set_thread_count(1);
  LinkedSteps steps = Sums().program;
  for (auto [rows, count] : std::vector<std::pair<int64_t, int64_t>>{
           {3, 5}, {3, 5}, {4, 5}, {4, 500}, {4, 7}, {1, 200'000}, {9, 2}, {9, 0}, {3, 5}})
    expect_right(steps, rows, 10, count);
}

TEST(RepeatedRuns, ComeBehindFailures) {
  LinkedSteps steps = Sums().program;
  expect_right(steps, 2, 1, 4);
  for (int64_t count : {4, 90}) {
    EXPECT_EQ(run(steps, 2, -1000, count).error.code, abi::check_failed);
    expect_right(steps, 2, 1, count);
  }
  EXPECT_ANY_THROW(run(steps, 2, 1, int64_t{1} << 50)); // there is not so much memory
  expect_right(steps, 2, 1, 4);
  expect_right(steps, 3, 1, 4);
}

TEST(RepeatedRuns, OfManyPrograms) {
  std::vector<LinkedSteps> programs;
  for (int i = 0; i < 20; ++i)
    programs.emplace_back(Sums().program);
  for (int64_t rows : {2, 2, 3})
    for (const LinkedSteps& steps : programs)
      expect_right(steps, rows, rows, 6);
}

const LinkedSteps* inside = nullptr;

/// Runs a program inside a run, of other sizes.
int32_t run_inside(abi::Context* context, void* const* buffers, const int64_t* extents,
                   int64_t begin, int64_t end, abi::ErrorRecord* error) {
  if (const LinkedSteps* steps = std::exchange(inside, nullptr))
    expect_right(*steps, 7, 3, 50);
  return count_up(context, buffers, extents, begin, end, error);
}

TEST(RepeatedRuns, InsideOneAnother) {
  LinkedSteps steps = Sums().program;
  functions[0] = run_inside;
  for (int64_t rows : {2, 2, 7, 2}) {
    inside = &steps;
    expect_right(steps, rows, 1, 5);
  }
  functions[0] = count_up;
}

TEST(RepeatedRuns, OnSeveralThreads) {
  LinkedSteps steps = Sums().program;
  std::vector<std::thread> threads;
  for (int64_t rows : {2, 3, 4})
    threads.emplace_back([&, rows] {
      for (int64_t count : {3, 3, 40})
        expect_right(steps, rows, rows, count);
    });
  for (std::thread& thread : threads)
    thread.join();
}

} // namespace
} // namespace kolam::runtime
