// Loops whose turns threads share, with nests written by hand: own memory, errors, few turns.
#include "kolam/runtime/run_steps.h"
#include "kolam/runtime/thread_pool.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

namespace kolam::runtime {
namespace {

int32_t& number(void* buffer) { return *static_cast<int32_t*>(buffer); }

std::atomic<int> running;

/// buffers[0] = buffers[1] + 10; returns when two turns have done so.
int32_t copy_slowly(abi::Context*, void* const* buffers, const int64_t*, int64_t, int64_t,
                    abi::ErrorRecord*) {
  number(buffers[0]) = number(buffers[1]) + 10;
  ++running;
  for (int waits = 0; running < 2 && waits < 1'000'000; ++waits)
    std::this_thread::yield();
  return abi::ok;
}

/// buffers[0][buffers[2]] = buffers[1]
int32_t put(abi::Context*, void* const* buffers, const int64_t*, int64_t, int64_t,
            abi::ErrorRecord*) {
  static_cast<int32_t*>(buffers[0])[number(buffers[2])] = number(buffers[1]);
  return abi::ok;
}

std::mutex places_lock;
std::set<void*> places;

int32_t note_place(abi::Context*, void* const* buffers, const int64_t*, int64_t, int64_t,
                   abi::ErrorRecord*) {
  std::lock_guard lock(places_lock);
  places.insert(buffers[0]);
  return abi::ok;
}

/// Turns from the fifth on fail, the fifth behind another.
int32_t fail_from_five(abi::Context*, void* const* buffers, const int64_t*, int64_t, int64_t,
                       abi::ErrorRecord* error) {
  int32_t turn = number(buffers[0]);
  for (int waits = 0; turn == 5 && running == 0 && waits < 1'000'000; ++waits)
    std::this_thread::yield();
  running += turn > 5;
  *error = {turn < 5 ? abi::ok : abi::check_failed, 0, turn};
  return error->code;
}

/// for t in 0..turns: b1 = t; b2 = b1 + 10; b0[t] = b2, where b3 is another name of b2.
struct Turns {
  StepProgram program;
  LoopStep loop;
  explicit Turns(int64_t turns) {
    program.buffers = {{DType::i32, {Extent(turns)}, Place::result, 0, {}},
                       {DType::i32, {}, Place::arena, 0, Extent(64)},
                       {DType::i32, {}, Place::arena, 0, Extent(128)},
                       {DType::i32, {}, Place::arena, 0, {}}};
    program.buffers[3].same_as = 2;
    program.arena_bytes = 192;
    program.results = {0};
    loop.counter = 1;
    loop.length = turns;
    loop.is_shared = true;
    loop.own = {1, 2};
    loop.body = {{NestStep{0, {3, 1}, {}, Extent(1)}}, {NestStep{1, {0, 2, 1}, {}, Extent(1)}}};
  }
  RunOutcome run(std::vector<abi::NestCode> functions, int threads) {
    set_thread_count(threads);
    running = threads == 1 ? 2 : 0;
    places.clear();
    program.steps = {{loop}};
    return run_steps(program, functions, {}, {}, {}, {}, nullptr);
  }
};

TEST(SharedTurns, HaveMemoryOfTheirOwn) {
  for (int threads : {1, 2, 3}) {
    RunOutcome outcome = Turns(6).run({copy_slowly, put}, threads);
    EXPECT_TRUE(same_bits(outcome.results[0], Array::of<int32_t>({10, 11, 12, 13, 14, 15})));
  }
}

TEST(SharedTurns, RecordStepsOnAllThreads) {
  Turns turns(6);
  set_thread_count(2);
  running = 0;
  turns.program.steps = {{turns.loop}};
  number_steps(turns.program);
  std::vector<abi::NestCode> functions = {copy_slowly, put};
  std::vector<StepRecord> records(turns.program.numbered);
  run_steps(turns.program, functions, {}, {}, {}, {}, nullptr, records);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_GT(records[0].seconds, 0);
  EXPECT_EQ(records[0].times, 6);
  EXPECT_EQ(records[1].times, 6);
}

TEST(SharedTurns, ThatAreFewStayOnTheirThread) {
  Turns(3).run({note_place, put}, 2);
  EXPECT_EQ(places.size(), 1u);
}

TEST(SharedTurns, ReportTheErrorOfTheFirst) {
  Turns turns(40);
  turns.loop.body = {{NestStep{0, {1}, {}, Extent(1)}}};
  RunOutcome outcome = turns.run({fail_from_five}, 3);
  EXPECT_EQ(outcome.error.code, abi::check_failed);
  EXPECT_EQ(outcome.error.index, 5);
}

/// The body binds n = t and gets memory for b4, of n rows.
TEST(SharedTurns, BindSizesApart) {
  Turns turns(8);
  Extent n = Extent::symbol("n");
  turns.program.buffers.push_back({DType::i32, {n}, Place::arena, 0, {}});
  turns.program.buffers[4].is_late = true;
  auto fill = [](abi::Context*, void* const* buffers, const int64_t* extents, int64_t begin,
                 int64_t end, abi::ErrorRecord*) -> int32_t {
    for (int64_t i = begin; i < end; ++i)
      static_cast<int32_t*>(buffers[0])[i] = static_cast<int32_t>(extents[0]);
    return abi::ok;
  };
  auto last = [](abi::Context*, void* const* buffers, const int64_t* extents, int64_t, int64_t,
                 abi::ErrorRecord*) -> int32_t {
    number(buffers[0]) = extents[0] ? static_cast<int32_t*>(buffers[1])[extents[0] - 1] : -1;
    return abi::ok;
  };
  turns.loop.body = {{BindStep{.symbol = n, .size = 1, .buffers = {4}, .groups = {{4}}}},
                     {NestStep{0, {4}, {n}, n}},
                     {NestStep{1, {2, 4}, {n}, Extent(1)}},
                     {NestStep{2, {0, 2, 1}, {}, Extent(1)}}};
  for (int threads : {1, 2}) {
    RunOutcome outcome = turns.run({+fill, +last, put}, threads);
    EXPECT_TRUE(same_bits(outcome.results[0], Array::of<int32_t>({-1, 1, 2, 3, 4, 5, 6, 7})));
  }
}

TEST(SharedTurns, PassOnWhatTheyThrow) {
  Turns turns(8);
  Extent n = Extent::symbol("n");
  turns.program.buffers.push_back({DType::i32, {n, Extent(int64_t{1} << 55)}, Place::arena, 0, {}});
  turns.program.buffers[4].is_late = true;
  turns.loop.body = {{BindStep{.symbol = n, .size = 1, .buffers = {4}, .groups = {{4}}}}};
  for (int threads : {1, 2})
    try {
      turns.run({}, threads);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.slug(), "out-of-memory");
    }
}

/// Memory that was given before the loop, for a size that the program binds.
TEST(SharedTurns, HaveTheirOwnOfSizesBoundBefore) {
  Turns turns(6);
  Extent n = Extent::symbol("n");
  turns.program.buffers[2] = {.dtype = DType::i32, .shape = {n}, .offset = {}, .is_late = true};
  turns.program.buffers[3] = {
      .dtype = DType::i32, .shape = {n}, .offset = {}, .same_as = 2, .is_late = true};
  turns.program.steps = {{BindStep{.symbol = n, .extent = 1, .buffers = {2, 3}, .groups = {{2}}}},
                         {turns.loop}};
  std::vector<abi::NestCode> functions = {copy_slowly, put};
  set_thread_count(2);
  running = 0;
  RunOutcome outcome = run_steps(turns.program, functions, {}, {}, {}, {}, nullptr);
  EXPECT_TRUE(same_bits(outcome.results[0], Array::of<int32_t>({10, 11, 12, 13, 14, 15})));
}

} // namespace
} // namespace kolam::runtime
