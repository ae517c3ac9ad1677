/// Freed blocks of memory that are handed out again: fresh pages cost more than filling them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace kolam::runtime {

/// Blocks of `least` bytes and more, `most` in all; whoever keeps too much loses the oldest first.
///
/// Invariant: a block is held by the cache or by whoever took it, never by both. All blocks of one
/// size class are alike, so the bytes that were asked for name the block's size. A child of fork
/// finds the cache empty or closed, never locked for ever.
class BlockCache {
public:
  BlockCache(int64_t least, int64_t most) : least_(least), most_(most) {}
  ~BlockCache() { release(); }
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// The bytes that a block for `bytes` has: at most an eighth more, so that sizes close to one
  /// another share blocks.
  int64_t block_bytes(int64_t bytes) const;
  /// Whether blocks for `bytes` are of a size that is kept.
  bool would_keep(int64_t bytes) const { return bytes >= least_ && block_bytes(bytes) <= most_; }
  /// A block for `bytes`, with unspecified content; null where none is kept.
  std::byte* take(int64_t bytes);
  /// Takes a block over that std::free would free; false where it is not kept.
  bool keep(std::byte* data, int64_t bytes);
  /// Frees every block that is kept.
  void release();
  /// In all kept blocks.
  int64_t bytes();

private:
  struct Block {
    std::byte* data;
    int64_t bytes;
  };

  const int64_t least_, most_;
  std::mutex mutex_;
  std::vector<Block> blocks_; ///< oldest first
  int64_t bytes_ = 0;
};

} // namespace kolam::runtime
