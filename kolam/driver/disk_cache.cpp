// Reads, writes and evicts files of the cache on disk. Every path is relative to the descriptor of
// a directory that has been judged.
#include "kolam/driver/disk_cache.h"

#include "kolam/support/warning.h"

#include "llvm/Support/BLAKE3.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace kolam::driver {
namespace {

/// Of the layout of files and of everything that decides what a key means.
constexpr uint32_t kFormat = 1;
/// A shelf is cut by the first digit of the key, so that what a write looks through stays short.
/// Results are few and large.
constexpr int parts_of(Shelf shelf) { return shelf == Shelf::results ? 1 : 16; }
int part_of(Shelf shelf, const ContentKey& key) { return (key[0] >> 4) % parts_of(shelf); }
constexpr time_t kAbandoned = 3600; ///< seconds after which nobody writes a temporary any more
constexpr std::string_view kTemporary = ".tmp";
constexpr char kDigits[] = "0123456789abcdef";

struct Header {
  std::array<char, 8> magic = {'k', 'o', 'l', 'a', 'm', 0, 'c', 'e'};
  uint32_t format = kFormat;
  uint32_t shelf = 0;
  uint64_t size = 0; ///< of the bytes that follow
  ContentKey key = {};
  ContentKey checksum = {}; ///< of all others and of the bytes
};
static_assert(sizeof(Header) == 88 && std::has_unique_object_representations_v<Header>);

std::string_view bytes_of(const Header& header) {
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

Header header_of(Shelf shelf, const ContentKey& key, std::string_view bytes) {
  Header header;
  header.shelf = static_cast<uint32_t>(shelf);
  header.size = bytes.size();
  header.key = key;
  header.checksum = content_key({bytes_of(header), bytes});
  return header;
}

/// Owns a file descriptor.
class File {
public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  bool read(std::string& bytes) const {
    for (size_t at = 0; at < bytes.size();) {
      ssize_t got =
          pread(descriptor_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
      if (got <= 0 && !(got < 0 && errno == EINTR))
        return false;
      at += static_cast<size_t>(std::max<ssize_t>(got, 0));
    }
    return true;
  }
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
      if (put < 0 && errno != EINTR)
        return false;
      bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(put, 0)));
    }
    return true;
  }

private:
  int descriptor_;
};

/// `objects-3`: where entries of a shelf lie whose keys start with that digit.
std::string part_name(Shelf shelf, int part) {
  constexpr std::array<std::string_view, 3> names = {"objects-", "schedules-", "results-"};
  return std::string(names[static_cast<size_t>(shelf)]) + kDigits[part];
}

File open_part(const CacheDirectory& directory, const std::string& name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  return File(openat(directory.descriptor(), name.c_str(), kFlags));
}

struct ListedFile {
  std::string name;
  int64_t bytes;
  timespec used;
};

std::vector<ListedFile> list(const File& part) {
  std::vector<ListedFile> files;
  DIR* stream = fdopendir(openat(part.descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!stream)
    return files;
  while (const dirent* entry = readdir(stream)) {
    struct stat status = {};
    if (fstatat(part.descriptor(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        !S_ISDIR(status.st_mode))
      files.push_back({entry->d_name, status.st_size, status.st_mtim});
  }
  closedir(stream);
  return files;
}

/// Removes what was used least recently until the rest fits, and what writers that died left.
void evict(const File& part, int64_t allowed) {
  std::vector<ListedFile> files = list(part);
  int64_t bytes = 0;
  for (ListedFile& file : files) {
    if (file.name.ends_with(kTemporary) && file.used.tv_sec + kAbandoned < time(nullptr)) {
      unlinkat(part.descriptor(), file.name.c_str(), 0);
      file.bytes = 0;
    }
    bytes += file.bytes;
  }
  if (bytes <= allowed)
    return;
  std::ranges::sort(files, [](const ListedFile& a, const ListedFile& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const ListedFile& file : files) {
    if (bytes <= allowed)
      return;
    if (file.name.ends_with(kTemporary))
      continue;
    unlinkat(part.descriptor(), file.name.c_str(), 0);
    bytes -= file.bytes;
  }
}

void for_each_part(const CacheDirectory& directory, Shelf shelf,
                   const std::function<void(const File&)>& action) {
  if (!directory.is_open())
    return;
  for (int part = 0; part < parts_of(shelf); ++part)
    if (File file = open_part(directory, part_name(shelf, part)))
      action(file);
}

} // namespace

ContentKey content_key(std::initializer_list<std::string_view> parts) {
  return content_key(std::span(parts.begin(), parts.size()));
}

ContentKey content_key(std::span<const std::string_view> parts) {
  llvm::BLAKE3 hash;
  for (std::string_view part : parts) {
    uint64_t size = part.size();
    hash.update(llvm::StringRef(reinterpret_cast<const char*>(&size), sizeof size));
    hash.update(part);
  }
  return hash.final<sizeof(ContentKey)>();
}

std::string to_string(const ContentKey& key) {
  std::string text;
  for (uint8_t byte : key) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

FoundEntry find_entry(const CacheDirectory& directory, Shelf shelf, const ContentKey& key) {
  if (!directory.is_open())
    return {};
  std::string path = part_name(shelf, part_of(shelf, key)) + "/" + to_string(key);
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  File file(openat(directory.descriptor(), path.c_str(), kFlags));
  if (!file)
    return {std::nullopt, errno != ENOENT};
  FoundEntry damaged{std::nullopt, true};
  struct stat status = {};
  if (fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid() || status.st_mode & (S_IWGRP | S_IWOTH) ||
      status.st_size < static_cast<off_t>(sizeof(Header)) ||
      status.st_size > directory.settings().bytes)
    return damaged;
  std::string text(static_cast<size_t>(status.st_size), 0);
  if (!file.read(text))
    return damaged;
  std::string_view bytes = std::string_view(text).substr(sizeof(Header));
  if (!text.starts_with(bytes_of(header_of(shelf, key, bytes))))
    return damaged;
  futimens(file.descriptor(), nullptr); // used now
  return {text.substr(sizeof(Header)), false};
}

bool keep_entry(const CacheDirectory& directory, Shelf shelf, const ContentKey& key,
                std::string_view bytes) {
  if (!directory.is_open())
    return false;
  Header header = header_of(shelf, key, bytes);
  int64_t allowed = directory.settings().bytes / parts_of(shelf);
  if (std::cmp_greater(sizeof header + bytes.size(), allowed))
    return false;
  std::string name = part_name(shelf, part_of(shelf, key));
  mkdirat(directory.descriptor(), name.c_str(), 0700);
  File part = open_part(directory, name);
  if (!part)
    return false;
  std::string temporary = "." + std::to_string(getpid()) + "-" +
                          std::to_string(std::random_device()()) + std::string(kTemporary);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  File file(openat(part.descriptor(), temporary.c_str(), kFlags, 0600));
  auto refuse = [&] {
    warn(directory.settings().what + " is not kept on disk: '" + directory.settings().path +
         "': " + std::strerror(errno));
    return false;
  };
  if (!file)
    return refuse();
  std::string entry = to_string(key);
  if (!file.write(bytes_of(header)) || !file.write(bytes) ||
      renameat(part.descriptor(), temporary.c_str(), part.descriptor(), entry.c_str()) != 0) {
    const int error = errno;
    unlinkat(part.descriptor(), temporary.c_str(), 0);
    errno = error;
    return refuse();
  }
  evict(part, allowed);
  return true;
}

ShelfUsage usage_of(const CacheDirectory& directory, Shelf shelf) {
  ShelfUsage usage;
  for_each_part(directory, shelf, [&](const File& part) {
    for (const ListedFile& file : list(part)) {
      usage.bytes += file.bytes;
      usage.entries += !file.name.ends_with(kTemporary);
    }
  });
  return usage;
}

void clear(const CacheDirectory& directory, Shelf shelf) {
  for_each_part(directory, shelf, [&](const File& part) {
    for (const ListedFile& file : list(part))
      if (!file.name.ends_with(kTemporary)) // its writer may be at work
        unlinkat(part.descriptor(), file.name.c_str(), 0);
  });
}

} // namespace kolam::driver
