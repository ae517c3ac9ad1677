/// ZIP archives as far as `.npz` needs them: APPNOTE 6.3, stored and deflated entries, ZIP64.
#pragma once

#include "kolam/runtime/file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kolam::runtime {

enum class ZipMethod : uint16_t { stored = 0, deflated = 8 };

/// An entry as the archive's directory tells of it. `size` is what it unpacks to; deflate cannot
/// exceed 1032 : 1, and claims beyond that are refused with the directory.
struct ZipEntry {
  std::string name;
  ZipMethod method = ZipMethod::stored;
  uint32_t checksum = 0;
  uint64_t packed_size = 0;
  uint64_t size = 0;
  uint64_t header_offset = 0;
};

/// Throws `[bad-npz]` where the archive is malformed, is encrypted or split, or its entries
/// overlap.
std::vector<ZipEntry> read_zip_directory(const ByteSource& source);

/// Unpacks one entry from front to back.
class ZipEntryReader {
public:
  /// `source` and `entry` must outlive this.
  ZipEntryReader(const ByteSource& source, const ZipEntry& entry);
  ~ZipEntryReader();

  /// The next `count` bytes; throws `[bad-npz]` where the data is corrupt or ends.
  void read_next(void* to, size_t count);
  /// After the last byte: throws `[bad-npz]` where data is left over or the checksum is wrong.
  void finish();

private:
  struct Inflater;

  void inflate_next(std::byte* to, size_t count);
  void refill();

  const ByteSource& source_;
  const ZipEntry& entry_;
  uint64_t at_ = 0;       // of the packed data not yet read from the source
  uint64_t packed_left_;  // from there on
  uint32_t checksum_ = 0; // of what was unpacked so far
  std::unique_ptr<Inflater> inflater_;
};

/// Appends stored entries to a file. `zip64_from` is the least size or offset that is written in
/// the ZIP64 form; tests lower it.
class ZipWriter {
public:
  explicit ZipWriter(AtomicFile& file, uint64_t zip64_from = 0xffffffff)
      : file_(file), zip64_from_(zip64_from) {}

  /// An entry whose content is the two parts on end.
  void add(const std::string& name, std::span<const std::byte> head,
           std::span<const std::byte> body);
  /// Writes the directory.
  void finish();

private:
  AtomicFile& file_;
  uint64_t zip64_from_;
  std::vector<ZipEntry> entries_;
};

[[noreturn]] void fail_bad_npz(const ByteSource& source, const std::string& reason);
/// True for well-formed UTF-8 without zero bytes.
bool is_utf8(std::string_view text);

} // namespace kolam::runtime
