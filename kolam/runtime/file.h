/// Files as the runtime reads and writes them: whole regular files, replaced at once or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kolam::runtime {

/// Bytes that can be read at any place: a regular file, or memory that outlives this. Owns the file
/// descriptor.
class ByteSource {
public:
  /// Throws `[io-read]` where the path is missing, unreadable, or no regular file (a pipe could
  /// hang, a device never ends).
  static ByteSource open(const std::string& path);
  static ByteSource of(std::span<const std::byte> bytes, std::string name);

  ~ByteSource();
  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&&) = delete;

  /// What errors call it: the path.
  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }
  /// Needs offset + count <= size(). Throws `[io-read]`, also where the file shrank meanwhile.
  void read_at(uint64_t offset, void* to, size_t count) const;

private:
  ByteSource(std::string name, uint64_t size) : name_(std::move(name)), size_(size) {}

  std::string name_;
  uint64_t size_;
  int descriptor_ = -1;
  const std::byte* memory_ = nullptr;
};

/// A file that appears under its name whole or not at all: written beside it under another name,
/// flushed to the disk, then renamed. Without `commit` nothing stays. Throws `[io-write]`, naming
/// path and reason.
class AtomicFile {
public:
  /// An existing file keeps its permissions; a symbolic link is followed; what is no regular file
  /// is refused.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t count);
  /// Makes the file `bytes` long, of zeros behind what was written, where the disk has room.
  void reserve(uint64_t bytes);
  /// Writes at a place below the length that was reserved.
  void write_at(uint64_t offset, const void* data, size_t count);
  /// Bytes written so far.
  uint64_t position() const { return position_; }
  void commit();

private:
  [[noreturn]] void fail_write(int error) const;

  std::string path_;      // as the user said it
  std::string target_;    // what it resolves to
  std::string temporary_; // empty once renamed
  int descriptor_ = -1;
  uint64_t position_ = 0;
};

} // namespace kolam::runtime
