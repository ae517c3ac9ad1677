/// Memory for planned temporaries: one block a call, kept by the thread for its next call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kolam::runtime {

/// A block of at least `bytes`, aligned to kBufferAlignment, with unspecified content; offsets into
/// it are planned by whoever asks, or taken one after another with `take`. On destruction the block
/// goes to the cache of the thread that destroys it, which keeps its largest; a warm thread
/// allocates nothing.
class Arena {
public:
  /// Throws `[out-of-memory]`, naming `what`.
  explicit Arena(int64_t bytes, std::string_view what = "the temporary memory of a call");
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  /// The next `bytes`, aligned to kBufferAlignment. The sum, each rounded up to that, must fit the
  /// block.
  std::byte* take(int64_t bytes);

private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0; // of the block, which may exceed what was asked for
  int64_t taken_ = 0;
};

/// Frees what this thread keeps.
void release_arena_cache();

} // namespace kolam::runtime
