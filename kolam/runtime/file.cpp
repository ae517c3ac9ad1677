// Reads regular files at any place and replaces files atomically.
#include "kolam/runtime/file.h"

#include "kolam/runtime/long_work.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kolam::runtime {
namespace {

/// Bound: so much in one call, that Ctrl-C need not wait.
constexpr size_t kMaxTransfer = size_t{64} << 20;

[[noreturn]] void fail_read(const std::string& name, const std::string& reason) {
  fail(ErrorKind::io, "io-read", "cannot read '" + name + "': " + reason);
}

/// realpath where the path exists, else the path itself (a new file, or a dangling link that is
/// replaced).
std::string resolved(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  if (!real)
    return path;
  std::string text = real;
  std::free(real);
  return text;
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos)
    return ".";
  return path.substr(0, std::max<size_t>(slash, 1));
}

/// Without the directory's entry on the disk a crash could bring the old file back; not every file
/// system can.
void flush_directory(const std::string& path) {
  const int descriptor = ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  fsync(descriptor);
  close(descriptor);
}

/// Calls `put(from, most)`, which says how many bytes it took or -1, until all are taken; gives the
/// error that ended it, or 0.
template <class Put> int put_all(const void* data, size_t count, const Put& put) {
  const auto* from = static_cast<const std::byte*>(data);
  while (count > 0) {
    stop_if_cancelled();
    const ssize_t taken = put(from, std::min(count, kMaxTransfer));
    if (taken < 0 && errno == EINTR)
      continue;
    if (taken < 0)
      return errno;
    from += taken;
    count -= static_cast<size_t>(taken);
  }
  return 0;
}

} // namespace

ByteSource ByteSource::open(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    fail_read(path.c_str(), "the path holds a zero byte");
  ByteSource source(path, 0);
  source.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (source.descriptor_ < 0)
    fail_read(path, std::strerror(errno));
  struct stat status = {};
  if (fstat(source.descriptor_, &status) != 0)
    fail_read(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    fail_read(path, "not a regular file");
  source.size_ = static_cast<uint64_t>(status.st_size);
  return source;
}

ByteSource ByteSource::of(std::span<const std::byte> bytes, std::string name) {
  ByteSource source(std::move(name), bytes.size());
  source.memory_ = bytes.data();
  return source;
}

ByteSource::~ByteSource() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : name_(std::move(other.name_)), size_(other.size_),
      descriptor_(std::exchange(other.descriptor_, -1)), memory_(other.memory_) {}

void ByteSource::read_at(uint64_t offset, void* to, size_t count) const {
  KOLAM_CHECK(offset <= size_ && count <= size_ - offset);
  if (descriptor_ < 0) {
    if (count > 0)
      std::memcpy(to, memory_ + offset, count);
    return;
  }
  auto* out = static_cast<std::byte*>(to);
  while (count > 0) {
    stop_if_cancelled();
    const ssize_t got =
        pread(descriptor_, out, std::min(count, kMaxTransfer), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      fail_read(name_, std::strerror(errno));
    if (got == 0)
      fail_read(name_, "the file became shorter");
    out += got;
    offset += static_cast<uint64_t>(got);
    count -= static_cast<size_t>(got);
  }
}

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolved(path)) {
  if (path.find('\0') != std::string::npos)
    fail_write(EINVAL);
  struct stat status = {};
  const bool exists = stat(target_.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode))
    fail_write(S_ISDIR(status.st_mode) ? EISDIR : ENOTSUP);
  std::random_device random;
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    char suffix[32];
    std::snprintf(suffix, sizeof suffix, "/.kolam-%08x.tmp", random());
    temporary_ = directory_of(target_) + suffix;
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt == 100))
      fail_write(errno);
  }
  if (exists)
    fchmod(descriptor_, status.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0)
    return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, size_t count) {
  const int error = put_all(data, count, [&](const std::byte* from, size_t most) {
    const ssize_t put = ::write(descriptor_, from, most);
    position_ += static_cast<uint64_t>(std::max<ssize_t>(put, 0));
    return put;
  });
  if (error != 0)
    fail_write(error);
}

void AtomicFile::reserve(uint64_t bytes) {
  // Not every file system can promise room; those give it when it is written.
  const int error = posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  if (error == ENOSPC || error == EFBIG)
    fail_write(error);
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
    fail_write(errno);
}

void AtomicFile::write_at(uint64_t offset, const void* data, size_t count) {
  const int error = put_all(data, count, [&](const std::byte* from, size_t most) {
    const ssize_t put = pwrite(descriptor_, from, most, static_cast<off_t>(offset));
    offset += static_cast<uint64_t>(std::max<ssize_t>(put, 0));
    return put;
  });
  if (error != 0)
    fail_write(error);
}

void AtomicFile::commit() {
  if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS)
    fail_write(errno);
  if (rename(temporary_.c_str(), target_.c_str()) != 0)
    fail_write(errno);
  close(std::exchange(descriptor_, -1));
  flush_directory(target_);
}

void AtomicFile::fail_write(int error) const {
  fail(ErrorKind::io, "io-write",
       "cannot write '" + std::string(path_.c_str()) + "': " + std::strerror(error));
}

} // namespace kolam::runtime
