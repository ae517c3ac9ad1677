// Temporary memory: kept by the thread, checked, cut into aligned pieces.
#include "kolam/runtime/arena.h"

#include "kolam/runtime/memory.h"

#include "expect_error.h"

#include <thread>

namespace kolam::runtime {
namespace {

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
