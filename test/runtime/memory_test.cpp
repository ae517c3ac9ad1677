// Available memory, read from fake machines.
#include "kolam/runtime/memory.h"

#include "expect_error.h"
#include "temporary_directory.h"

#include <filesystem>
#include <limits>

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

/// Memory that was asked for and not written is missing in no figure of the machine.
TEST(Room, CountsInFullWhatWasAskedFor) {
  const int64_t half = available_memory() / 2;
  Room room;
  room.require(0, half, "a first block");
  room.require(half, half / 2, "a second block");
  room.require(half, kUnseenBytes - 1, "a small block");
  const Error error = error_of([&] { room.require(half + half / 2, half, "a third block"); });
  EXPECT_EQ(error.slug(), "out-of-memory");
  EXPECT_EQ(error.message().find("a third block needs "), 0u);
  room.require(0, half, "a block once the others are freed");
}

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(1023), "1023 bytes");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<int64_t>::max()), "8.0 EiB");
}

} // namespace
} // namespace kolam::runtime
