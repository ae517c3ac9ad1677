// Freed blocks: handed out again by size class, bounded, freed on request.
#include "kolam/runtime/block_cache.h"

#include "kolam/runtime/memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

namespace kolam::runtime {
namespace {

std::byte* block_for(const BlockCache& cache, int64_t bytes) {
  return static_cast<std::byte*>(std::malloc(static_cast<size_t>(cache.block_bytes(bytes))));
}

TEST(BlockCache, GivesAKeptBlockOnce) {
  BlockCache cache(1000, 100000);
  EXPECT_EQ(cache.take(2000), nullptr);
  std::byte* block = block_for(cache, 2000);
  ASSERT_TRUE(cache.keep(block, 2000));
  EXPECT_EQ(cache.bytes(), cache.block_bytes(2000));
  EXPECT_EQ(cache.take(4000), nullptr);
  EXPECT_EQ(cache.take(1000), nullptr);
  EXPECT_EQ(cache.take(2000), block);
  EXPECT_EQ(cache.bytes(), 0);
  EXPECT_EQ(cache.take(2000), nullptr);
  std::free(block);
}

TEST(BlockCache, SizesOfOneClassShareBlocks) {
  BlockCache cache(1000, 100000);
  for (int64_t bytes = 1000; bytes < 20000; bytes += 7) {
    EXPECT_GE(cache.block_bytes(bytes), bytes);
    EXPECT_LE(cache.block_bytes(bytes), bytes + std::max<int64_t>(64, bytes / 8));
    EXPECT_EQ(cache.block_bytes(cache.block_bytes(bytes)), cache.block_bytes(bytes));
  }
  ASSERT_EQ(cache.block_bytes(8200), cache.block_bytes(9000));
  std::byte* block = block_for(cache, 8200);
  ASSERT_TRUE(cache.keep(block, 8200));
  EXPECT_EQ(cache.take(9000), block);
  std::free(block);
}

TEST(BlockCache, RefusesWhatIsSmallOrLarge) {
  BlockCache cache(1000, 5000);
  std::vector<std::byte> memory(1);
  EXPECT_FALSE(cache.keep(memory.data(), 999));
  EXPECT_FALSE(cache.keep(memory.data(), 5001));
  EXPECT_FALSE(cache.keep(nullptr, 2000));
  BlockCache none(1000, 0);
  EXPECT_FALSE(none.keep(memory.data(), 1000));
  EXPECT_EQ(none.take(1000), nullptr);
}

TEST(BlockCache, DropsTheOldestFirst) {
  BlockCache cache(1024, 4096);
  std::byte* first = block_for(cache, 1024);
  std::byte* second = block_for(cache, 2048);
  std::byte* third = block_for(cache, 1536);
  ASSERT_TRUE(cache.keep(first, 1024));
  ASSERT_TRUE(cache.keep(second, 2048));
  ASSERT_TRUE(cache.keep(third, 1536)); // frees the first
  EXPECT_EQ(cache.bytes(), 2048 + 1536);
  EXPECT_EQ(cache.take(1024), nullptr);
  EXPECT_EQ(cache.take(2048), second);
  std::free(second);
  cache.release();
  EXPECT_EQ(cache.bytes(), 0);
  EXPECT_EQ(cache.take(1536), nullptr);
}

TEST(BlockCache, ThreadsNeverShareABlock) {
  BlockCache cache(1024, 1 << 20);
  auto work = [&cache](int mark) {
    for (int turn = 0; turn < 2000; ++turn) {
      std::byte* block = cache.take(1024);
      if (!block)
        block = block_for(cache, 1024);
      auto* cells = reinterpret_cast<volatile int*>(block);
      for (int i = 0; i < 64; ++i)
        cells[i] = mark;
      for (int i = 0; i < 64; ++i)
        ASSERT_EQ(cells[i], mark);
      if (!cache.keep(block, 1024))
        std::free(block);
    }
  };
  std::thread other(work, 1);
  work(2);
  other.join();
}

TEST(AllocateAligned, HandsALargeBlockOutAgain) {
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "freed memory is not kept under the address sanitizer";
#endif
  const int64_t bytes = 5 << 20;
  std::byte* first = allocate_aligned(bytes, "a test");
  first[0] = std::byte{1};
  first[bytes - 1] = std::byte{2};
  free_aligned(first, bytes);
  std::byte* second = allocate_aligned(bytes, "a test");
  EXPECT_EQ(second, first);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(second) % kBufferAlignment, 0u);
  second[bytes - 1] = std::byte{3};
  free_aligned(second, bytes);
}

} // namespace
} // namespace kolam::runtime
