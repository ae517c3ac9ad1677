// The pool: partition, nesting, several callers, thread counts, fork.
#include "kolam/runtime/thread_pool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

/// ThreadSanitizer ends children of a fork that start threads, unless told not to.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

namespace kolam::runtime {
namespace {

/// Restores the thread count.
struct WithThreads {
  explicit WithThreads(int count) : before(thread_count()) { set_thread_count(count); }
  ~WithThreads() { set_thread_count(before); }
  int before;
};

/// How often each chunk ran, and by which worker.
struct Counts {
  explicit Counts(int64_t n) : runs(static_cast<size_t>(n)), workers(static_cast<size_t>(n), -1) {}
  std::vector<int> runs;
  std::vector<int> workers;

  static void run(void* context, int64_t begin, int64_t end, int worker) {
    auto& self = *static_cast<Counts*>(context);
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      ++self.runs[i];
      self.workers[i] = worker;
    }
  }
  bool ran_once() const {
    for (int runs_of_chunk : runs)
      if (runs_of_chunk != 1)
        return false;
    return true;
  }
};

TEST(ThreadPool, RunsEveryChunkOnce) {
  for (int threads : {1, 2, 3, 8}) {
    const WithThreads scope(threads);
    for (int64_t n : {0, 1, 2, 3, 7, 8, 9, 1000}) {
      Counts counts(n);
      parallel_for(n, Counts::run, &counts);
      EXPECT_TRUE(counts.ran_once()) << threads << " threads, " << n << " chunks";
    }
  }
}

TEST(ThreadPool, PartitionIsStatic) {
  const WithThreads scope(2);
  Counts counts(5);
  parallel_for(5, Counts::run, &counts);
  EXPECT_EQ(counts.workers, (std::vector<int>{0, 0, 1, 1, 1}));
}

TEST(ThreadPool, ManyRegionsOnEnd) {
  const WithThreads scope(2);
  Counts counts(2);
  for (int i = 0; i < 20000; ++i)
    parallel_for(2, Counts::run, &counts);
  EXPECT_EQ(counts.runs, (std::vector<int>{20000, 20000}));
}

TEST(ThreadPool, NegativeAndHugeCountsOfChunks) {
  const WithThreads scope(3);
  parallel_for(-5, nullptr, nullptr);
  std::atomic<int64_t> total = 0;
  parallel_for(
      INT64_MAX,
      [](void* context, int64_t begin, int64_t end, int) {
        *static_cast<std::atomic<int64_t>*>(context) += end - begin;
      },
      &total);
  EXPECT_EQ(total, INT64_MAX);
}

TEST(ThreadPool, NestedCallsRunInline) {
  const WithThreads scope(4);
  std::atomic<int> inner_runs = 0;
  parallel_for(
      4,
      [](void* context, int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i)
          parallel_for(
              10,
              [](void* inner, int64_t inner_begin, int64_t inner_end, int worker) {
                if (inner_begin == 0 && inner_end == 10 && worker == 0)
                  ++*static_cast<std::atomic<int>*>(inner);
              },
              context);
      },
      &inner_runs);
  EXPECT_EQ(inner_runs, 4);
}

TEST(ThreadPool, SeveralCallersAtOnce) {
  const WithThreads scope(3);
  std::atomic<int> failures = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&failures] {
      for (int i = 0; i < 500; ++i) {
        Counts counts(50);
        parallel_for(50, Counts::run, &counts);
        failures += !counts.ran_once();
      }
    });
  for (std::thread& caller : callers)
    caller.join();
  EXPECT_EQ(failures, 0);
}

TEST(ThreadPool, ChildOfAForkMakesItsOwnThreads) {
  const WithThreads scope(2);
  Counts before(10);
  parallel_for(10, Counts::run, &before);
  const pid_t child = fork();
  if (child == 0) {
    set_thread_count(3);
    Counts counts(100);
    parallel_for(100, Counts::run, &counts);
    _exit(counts.ran_once() && counts.workers[99] == 2 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  Counts after(10);
  parallel_for(10, Counts::run, &after);
  EXPECT_TRUE(after.ran_once());
}

TEST(ThreadPool, ForkWhileAnotherThreadRunsARegion) {
  const WithThreads scope(2);
  std::atomic<bool> stop = false;
  std::thread other([&stop] {
    Counts counts(4);
    while (!stop)
      parallel_for(4, Counts::run, &counts);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      Counts counts(4);
      parallel_for(4, Counts::run, &counts);
      _exit(counts.ran_once() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  stop = true;
  other.join();
}

TEST(ThreadCount, EnvironmentThenCores) {
  EXPECT_EQ(choose_thread_count("3", "5", 8), 3);
  EXPECT_EQ(choose_thread_count(nullptr, "5", 8), 5);
  EXPECT_EQ(choose_thread_count(nullptr, "5,2", 8), 5);
  EXPECT_EQ(choose_thread_count(nullptr, nullptr, 8), 8);
  EXPECT_EQ(choose_thread_count("", "x", 8), 8);
  EXPECT_EQ(choose_thread_count("0", "-1", 8), 8);
  EXPECT_EQ(choose_thread_count("2x", nullptr, 8), 8);
  EXPECT_EQ(choose_thread_count("99999999999999999999", nullptr, 8), 1024);
  EXPECT_EQ(choose_thread_count(nullptr, nullptr, 0), 1);
}

TEST(ThreadCount, IsClipped) {
  const WithThreads scope(0);
  EXPECT_EQ(thread_count(), 1);
}

} // namespace
} // namespace kolam::runtime
