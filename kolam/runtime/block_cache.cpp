// Keeps freed blocks by size class.
#include "kolam/runtime/block_cache.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace kolam::runtime {
namespace {

/// Bound: a program frees no more blocks than this between two calls, as a rule: the search stays
/// short.
constexpr size_t kMostBlocks = 256;

} // namespace

int64_t BlockCache::block_bytes(int64_t bytes) const {
  if (bytes < least_ || bytes > most_)
    return bytes;
  const int64_t step = std::max<int64_t>(64, std::bit_floor(static_cast<uint64_t>(bytes)) / 8);
  return (bytes + step - 1) / step * step;
}

// Locks are tried, not waited for: after a fork the lock may be held by a thread that is no more,
// and a block more or less does not matter.
std::byte* BlockCache::take(int64_t bytes) {
  if (!would_keep(bytes))
    return nullptr;
  const int64_t wanted = block_bytes(bytes);
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock)
    return nullptr;
  // The youngest: its pages are the likeliest to be in a cache.
  auto found = std::find_if(blocks_.rbegin(), blocks_.rend(),
                            [&](const Block& block) { return block.bytes == wanted; });
  if (found == blocks_.rend())
    return nullptr;
  std::byte* data = found->data;
  bytes_ -= wanted;
  blocks_.erase(std::next(found).base());
  return data;
}

bool BlockCache::keep(std::byte* data, int64_t bytes) {
  if (!data || !would_keep(bytes))
    return false;
  const Block block = {data, block_bytes(bytes)};
  std::vector<Block> dropped;
  {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock)
      return false;
    while (!blocks_.empty() && (bytes_ + block.bytes > most_ || blocks_.size() >= kMostBlocks)) {
      dropped.push_back(blocks_.front());
      bytes_ -= blocks_.front().bytes;
      blocks_.erase(blocks_.begin());
    }
    blocks_.push_back(block);
    bytes_ += block.bytes;
  }
  for (const Block& old : dropped)
    std::free(old.data);
  return true;
}

void BlockCache::release() {
  std::vector<Block> dropped;
  {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock)
      return;
    dropped.swap(blocks_);
    bytes_ = 0;
  }
  for (const Block& block : dropped)
    std::free(block.data);
}

int64_t BlockCache::bytes() {
  std::lock_guard lock(mutex_);
  return bytes_;
}

} // namespace kolam::runtime
