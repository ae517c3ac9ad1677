// Reads the memory figures of the machine and of the process's control groups.
#include "kolam/runtime/memory.h"

#include "kolam/runtime/block_cache.h"
#include "kolam/support/error.h"
#include "kolam/support/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace kolam::runtime {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
/// From two of them on a block asks for huge pages.
bool has_huge_pages(int64_t bytes) { return bytes >= 2 * kHost.huge_page; }

/// Bounds of what is kept. Blocks of fewer bytes are kept apart from larger ones, so that neither
/// drive out the others;
constexpr int64_t kLarge = int64_t{128} << 10;
/// bounds: in all this, or this part of the machine's memory where that is less.
constexpr int64_t kMostKept = int64_t{2} << 30, kMostSmallKept = int64_t{4} << 20;
constexpr int64_t kPartKept = 8;

/// The address sanitizer sees a use of freed memory only where memory is freed.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepsBlocks = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kKeepsBlocks = false;
#else
constexpr bool kKeepsBlocks = true;
#endif
#else
constexpr bool kKeepsBlocks = true;
#endif

struct KeptBlocks {
  BlockCache small, large;
  BlockCache& of(int64_t bytes) { return bytes < kLarge ? small : large; }
  void release() {
    small.release();
    large.release();
  }
};

/// Lives as long as the process: arrays may be freed while statics are destroyed.
KeptBlocks& kept_blocks() {
  static KeptBlocks* const blocks = [] {
    const int64_t machine = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
    return new KeptBlocks{{1, kKeepsBlocks ? kMostSmallKept : 0},
                          {kLarge, kKeepsBlocks ? std::min(kMostKept, machine / kPartKept) : 0}};
  }();
  return *blocks;
}

/// The names by which one version of cgroups gives its figures.
struct CgroupFiles {
  const char* limit;
  const char* usage;
  const char* reclaimable; // a key of memory.stat: file pages that are dropped on demand
};
constexpr CgroupFiles kVersion1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                   "total_inactive_file"};
constexpr CgroupFiles kVersion2 = {"/memory.max", "/memory.current", "inactive_file"};

/// The file's first number; nullopt where there is none ("max", or no such file).
std::optional<int64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  int64_t value = 0;
  if (!(file >> value))
    return std::nullopt;
  return value;
}

/// The number after `key` in a file of lines "key value ...".
std::optional<int64_t> read_field(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string word;
    int64_t value = 0;
    if (words >> word >> value && word == key)
      return value;
  }
  return std::nullopt;
}

int64_t left_in_group(const std::string& directory, const CgroupFiles& files) {
  std::optional<int64_t> limit = read_number(directory + files.limit);
  std::optional<int64_t> usage = read_number(directory + files.usage);
  if (!limit || !usage)
    return kUnlimited;
  int64_t reclaimable = read_field(directory + "/memory.stat", files.reclaimable).value_or(0);
  return std::max<int64_t>(0, *limit - std::max<int64_t>(0, *usage - reclaimable));
}

/// A limit of any enclosing group binds too. Inside a container the path may not exist below the
/// mount; its root then is the container's own group.
int64_t left_in_groups(const std::string& mount, std::string path, const CgroupFiles& files) {
  int64_t left = left_in_group(mount, files);
  while (path.size() > 1 && path.starts_with('/')) {
    left = std::min(left, left_in_group(mount + path, files));
    path.erase(path.find_last_of('/'));
  }
  return left;
}

bool lists_memory(std::string_view controllers) {
  return ("," + std::string(controllers) + ",").find(",memory,") != std::string::npos;
}

/// Reads lines "4:memory:/path" (v1) and "0::/path" (v2).
int64_t left_in_cgroups(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  const std::string mount = root + "/sys/fs/cgroup";
  int64_t left = kUnlimited;
  std::string line;
  while (std::getline(file, line)) {
    size_t first = line.find(':');
    size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (controllers.empty())
      left = std::min(left, left_in_groups(mount, path, kVersion2));
    else if (lists_memory(controllers))
      left = std::min(left, left_in_groups(mount + "/memory", path, kVersion1));
  }
  return left;
}

int64_t left_in_address_space() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return kUnlimited;
  int64_t used = read_number("/proc/self/statm").value_or(0) * sysconf(_SC_PAGESIZE);
  int64_t allowed = static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, kUnlimited));
  return std::max<int64_t>(0, allowed - used);
}

} // namespace

int64_t available_memory_under(const std::string& root) {
  std::optional<int64_t> kib = read_field(root + "/proc/meminfo", "MemAvailable:");
  int64_t machine = kib && *kib <= kUnlimited / 1024 ? *kib * 1024 : kUnlimited;
  return std::min(machine, left_in_cgroups(root));
}

int64_t available_memory() { return std::min(available_memory_under(""), left_in_address_space()); }

/// Frees what is kept before it says no.
static bool is_available(int64_t bytes) {
  if (bytes < kUnseenBytes || bytes <= available_memory())
    return true;
  kept_blocks().release();
  return bytes <= available_memory();
}

void require_memory(int64_t bytes, std::string_view what) {
  if (!is_available(bytes))
    fail_out_of_memory(bytes, what);
}

void Room::require(int64_t held, int64_t more, std::string_view what) {
  if (more < kUnseenBytes)
    return;
  if (!bytes_) {
    require_memory(more, what);
    bytes_ = available_memory() + held;
  }
  if (more > *bytes_ - held)
    fail_out_of_memory(more > kUnlimited - held ? kUnlimited : held + more, what);
}

void fail_out_of_memory(int64_t bytes, std::string_view what) {
  fail(ErrorKind::memory, "out-of-memory",
       std::string(what) + " needs " + format_bytes(bytes) + ", but " +
           format_bytes(available_memory()) + " are available");
}

std::byte* allocate_aligned(int64_t bytes, std::string_view what) {
  std::byte* data = try_allocate_aligned(bytes);
  if (!data)
    fail_out_of_memory(bytes, what);
  return data;
}

std::byte* try_allocate_aligned(int64_t bytes) {
  BlockCache& kept = kept_blocks().of(bytes);
  if (std::byte* block = kept.take(bytes))
    return block;
  if (!is_available(bytes))
    return nullptr;
  const bool huge = has_huge_pages(bytes);
  const auto alignment = static_cast<size_t>(huge ? kHost.huge_page : kBufferAlignment);
  const size_t unit = static_cast<size_t>(kBufferAlignment);
  const size_t rounded =
      std::max(unit, (static_cast<size_t>(kept.block_bytes(bytes)) + unit - 1) / unit * unit);
  void* data = nullptr;
  if (posix_memalign(&data, alignment, rounded) != 0) {
    kept_blocks().release();
    if (posix_memalign(&data, alignment, rounded) != 0)
      return nullptr;
  }
  if (huge)
    madvise(data, rounded, MADV_HUGEPAGE);
  return static_cast<std::byte*>(data);
}

void free_aligned(std::byte* data, int64_t bytes) {
  BlockCache& kept = kept_blocks().of(bytes);
  // The system may take the pages of a kept block back when it needs them.
  if (kept.would_keep(bytes) && has_huge_pages(bytes))
    madvise(data, static_cast<size_t>(kept.block_bytes(bytes)), MADV_FREE);
  if (!kept.keep(data, bytes))
    std::free(data);
}

std::string format_bytes(int64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " bytes";
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; value >= 1024 && unit < 5; ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
  return text;
}

} // namespace kolam::runtime
