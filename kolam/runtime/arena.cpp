// Keeps one block of temporary memory a thread.
#include "kolam/runtime/arena.h"

#include "kolam/runtime/memory.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <utility>

namespace kolam::runtime {
namespace {

struct Block {
  std::byte* data = nullptr;
  int64_t bytes = 0;
};

/// Frees its block when the thread ends.
struct Cache {
  Block block;
  ~Cache() { free_aligned(block.data, block.bytes); }
};

thread_local Cache cache;

} // namespace

Arena::Arena(int64_t bytes, std::string_view what) {
  KOLAM_CHECK(bytes >= 0);
  Block block = std::exchange(cache.block, {});
  if (!block.data || block.bytes < bytes) {
    free_aligned(block.data, block.bytes);
    const int64_t least = std::max<int64_t>(bytes, kBufferAlignment);
    block = {allocate_aligned(least, what), least};
  }
  data_ = block.data;
  bytes_ = block.bytes;
}

Arena::~Arena() {
  Block mine = {data_, bytes_};
  if (mine.bytes > cache.block.bytes)
    std::swap(mine, cache.block);
  free_aligned(mine.data, mine.bytes);
}

std::byte* Arena::take(int64_t bytes) {
  KOLAM_CHECK(bytes >= 0 && bytes <= bytes_ - taken_);
  std::byte* start = data_ + taken_;
  const int64_t rounded = (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  taken_ = std::min(bytes_, taken_ + rounded);
  return start;
}

void release_arena_cache() {
  const Block block = std::exchange(cache.block, {});
  free_aligned(block.data, block.bytes);
}

} // namespace kolam::runtime
