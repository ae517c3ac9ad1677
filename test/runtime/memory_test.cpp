// Available memory from fake machines, and the arena.
#include "kolam/runtime/arena.h"
#include "kolam/runtime/memory.h"

#include "expect_error.h"
#include "temporary_directory.h"

#include <filesystem>
#include <limits>
#include <thread>

namespace kolam::runtime {
namespace {

/// The files that tell of a machine's memory.
struct FakeMachine {
  TemporaryDirectory root;

  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root.file(path);
    std::filesystem::create_directories(file.parent_path());
    write_file(file, text);
  }
  int64_t available() const { return available_memory_under(root.file("")); }
};

TEST(AvailableMemory, IsPositiveHere) {
  EXPECT_GT(available_memory(), 0);
  EXPECT_LT(available_memory(), std::numeric_limits<int64_t>::max());
}

TEST(AvailableMemory, UnlimitedWhereNothingCanBeRead) {
  EXPECT_EQ(FakeMachine().available(), std::numeric_limits<int64_t>::max());
}

TEST(AvailableMemory, ReadsTheMachine) {
  FakeMachine machine;
  machine.put("proc/meminfo", "MemTotal: 4096 kB\nMemAvailable:   1024 kB\nCached: 7 kB\n");
  EXPECT_EQ(machine.available(), 1024 * 1024);
}

TEST(AvailableMemory, TheLeastLevelOfVersion2Binds) {
  FakeMachine machine;
  machine.put("proc/meminfo", "MemAvailable: 1000000 kB\n");
  machine.put("proc/self/cgroup", "0::/a/b\n");
  machine.put("sys/fs/cgroup/a/memory.max", "5000\n");
  machine.put("sys/fs/cgroup/a/memory.current", "3000\n");
  machine.put("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 500\n");
  machine.put("sys/fs/cgroup/a/b/memory.max", "max\n");
  machine.put("sys/fs/cgroup/a/b/memory.current", "1000\n");
  EXPECT_EQ(machine.available(), 2500);
}

TEST(AvailableMemory, ReadsVersion1AtTheMount) {
  FakeMachine machine;
  machine.put("proc/self/cgroup", "9:cpu,memory:/elsewhere\n5:devices:/\n");
  machine.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "900\n");
  machine.put("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n");
  EXPECT_EQ(machine.available(), 0);
}

TEST(AvailableMemory, SurvivesNonsense) {
  FakeMachine machine;
  machine.put("proc/meminfo", "MemAvailable: 99999999999999999999 kB\nnonsense\n\n");
  machine.put("proc/self/cgroup", "nonsense\n::\n0:\n4:memory:\n0::no-slash/x\n");
  EXPECT_EQ(machine.available(), std::numeric_limits<int64_t>::max());
}

TEST(RequireMemory, NamesBothFigures) {
  const Error error = error_of([] { require_memory(int64_t{1} << 60, "the plan"); });
  EXPECT_EQ(error.slug(), "out-of-memory");
  EXPECT_NE(error.message().find("the plan needs 1.0 EiB, but "), std::string::npos);
  EXPECT_NE(error.message().find(" are available"), std::string::npos);
}

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(1023), "1023 bytes");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<int64_t>::max()), "8.0 EiB");
}

TEST(Arena, IsReusedByTheThread) {
  release_arena_cache();
  const std::byte* first = nullptr;
  {
    const Arena arena(1000);
    first = arena.data();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % kBufferAlignment, 0u);
  }
  const Arena smaller(500);
  EXPECT_EQ(smaller.data(), first);
  EXPECT_EQ(smaller.bytes(), 1000);
  const Arena nested(500);
  EXPECT_NE(nested.data(), first);
}

TEST(Arena, TakesAlignedPieces) {
  Arena arena(256);
  std::byte* a = arena.take(1);
  std::byte* b = arena.take(0);
  std::byte* c = arena.take(64);
  EXPECT_EQ(b - a, 64);
  EXPECT_EQ(c, b);
  EXPECT_EQ(error_of([&] { arena.take(arena.bytes()); }).slug(), "internal");
}

TEST(Arena, RefusesTooMuchAndStaysUsable) {
  EXPECT_EQ(error_of([] { Arena arena(int64_t{1} << 60); }).slug(), "out-of-memory");
  EXPECT_NE(Arena(0).data(), nullptr);
}

TEST(Arena, EachThreadHasItsOwn) {
  std::thread([] { const Arena arena(100); }).join();
  const Arena here(100);
  EXPECT_NE(here.data(), nullptr);
}

} // namespace
} // namespace kolam::runtime
