/// How much memory this process may still take, and the check before taking it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kolam::runtime {

/// Bytes that can be allocated now without swapping or being killed: the least of MemAvailable of
/// the machine, what the process's memory cgroups (v1 and v2, every level) leave, and the address
/// space limit. INT64_MAX where nothing can be read.
int64_t available_memory();

/// The same from the files `root`/proc/... and `root`/sys/fs/cgroup/..., without the address space
/// limit.
int64_t available_memory_under(const std::string& root);

/// Bound: smaller requests pass unseen, as reading the figures costs tens of microseconds, and the
/// allocator reports such failures itself.
inline constexpr int64_t kUnseenBytes = int64_t{16} << 20;

/// Throws `[out-of-memory]` where `bytes`, unless they pass unseen, exceed available_memory().
void require_memory(int64_t bytes, std::string_view what);

/// The memory of one run, which asks for it bit by bit. Pages are there only once they are written:
/// what was asked for counts in full, whatever available_memory() has lost by it so far.
class Room {
public:
  /// Throws `[out-of-memory]` where `more` bytes, besides the `held` ones that were asked for and
  /// not freed, exceed what there was at the first request that did not pass unseen.
  void require(int64_t held, int64_t more, std::string_view what);

private:
  std::optional<int64_t> bytes_; ///< in all
};

/// Throws the `[out-of-memory]` error for a request that the allocator refused.
[[noreturn]] void fail_out_of_memory(int64_t bytes, std::string_view what);

/// Format: every block that Kolam allocates starts at a multiple of this many bytes.
inline constexpr int64_t kBufferAlignment = 64;

/// Memory of unspecified content, checked by require_memory; large blocks start at a huge page.
/// Freed by free_aligned with the same number of bytes, which may keep a block to hand it out again
/// (never under the address sanitizer); what is kept is freed before memory is refused.
std::byte* allocate_aligned(int64_t bytes, std::string_view what);
/// The same; null where the memory is not there.
std::byte* try_allocate_aligned(int64_t bytes);
void free_aligned(std::byte* data, int64_t bytes);

/// `24.0 GiB`, `512 bytes`: for people.
std::string format_bytes(int64_t bytes);

} // namespace kolam::runtime
