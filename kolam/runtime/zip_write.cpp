// Writes ZIP archives of stored entries.
#include "kolam/runtime/zip.h"

#include "kolam/runtime/zip_format.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <zlib.h>

namespace kolam::runtime {
namespace {

/// The first of January 1980, so that equal arrays give equal files (NumPy does the same).
constexpr uint16_t kDate = 1 << 5 | 1;
constexpr uint16_t kUnixHost = 3 << 8;
constexpr uint32_t kFileMode = 0100644u << 16;

/// Little-endian fields, appended.
struct Record {
  std::string bytes;

  void number(uint64_t value, int width) {
    for (int i = 0; i < width; ++i)
      bytes += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void u16(uint64_t value) { number(value, 2); }
  void u32(uint64_t value) { number(value, 4); }
  void u64(uint64_t value) { number(value, 8); }
};

uint32_t checksum_of(uint32_t checksum, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto block = bytes.first(std::min<size_t>(bytes.size(), 1 << 30));
    checksum = static_cast<uint32_t>(crc32(checksum, reinterpret_cast<const Bytef*>(block.data()),
                                           static_cast<uInt>(block.size())));
    bytes = bytes.subspan(block.size());
  }
  return checksum;
}

uint16_t flags_of(const std::string& name) {
  const bool ascii =
      std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 128; });
  return ascii ? 0 : zip::kUtf8Flag;
}

/// Method, time, date and checksum stand in both headers of an entry.
void common_fields(Record& record, const ZipEntry& entry) {
  record.u16(flags_of(entry.name));
  record.u16(static_cast<uint16_t>(entry.method));
  record.u16(0);
  record.u16(kDate);
  record.u32(entry.checksum);
}

std::string local_header(const ZipEntry& entry, uint64_t zip64_from) {
  const bool wide = entry.size >= zip64_from;
  Record record;
  record.u32(zip::kLocalHeader);
  record.u16(wide ? zip::kZip64Version : zip::kVersion);
  common_fields(record, entry);
  record.u32(wide ? zip::kInZip64 : entry.packed_size);
  record.u32(wide ? zip::kInZip64 : entry.size);
  record.u16(entry.name.size());
  record.u16(wide ? 20 : 0);
  record.bytes += entry.name;
  if (wide) {
    record.u16(zip::kZip64Extra);
    record.u16(16);
    record.u64(entry.size);
    record.u64(entry.packed_size);
  }
  return record.bytes;
}

std::string directory_header(const ZipEntry& entry, uint64_t zip64_from) {
  const bool wide = entry.size >= zip64_from;
  const bool far = entry.header_offset >= zip64_from;
  Record extra;
  if (wide || far) {
    extra.u16(zip::kZip64Extra);
    extra.u16((wide ? 16 : 0) + (far ? 8 : 0));
  }
  if (wide) {
    extra.u64(entry.size);
    extra.u64(entry.packed_size);
  }
  if (far)
    extra.u64(entry.header_offset);
  Record record;
  record.u32(zip::kDirectoryHeader);
  record.u16(kUnixHost | zip::kZip64Version);
  record.u16(wide || far ? zip::kZip64Version : zip::kVersion);
  common_fields(record, entry);
  record.u32(wide ? zip::kInZip64 : entry.packed_size);
  record.u32(wide ? zip::kInZip64 : entry.size);
  record.u16(entry.name.size());
  record.u16(extra.bytes.size());
  record.u16(0); // comment
  record.u16(0); // disk
  record.u16(0); // internal attributes
  record.u32(kFileMode);
  record.u32(far ? zip::kInZip64 : entry.header_offset);
  return record.bytes + entry.name + extra.bytes;
}

std::string zip64_end(uint64_t count, uint64_t offset, uint64_t size) {
  Record record;
  record.u32(zip::kZip64DirectoryEnd);
  record.u64(zip::kZip64DirectoryEndSize - 12);
  record.u16(kUnixHost | zip::kZip64Version);
  record.u16(zip::kZip64Version);
  record.u32(0);
  record.u32(0);
  record.u64(count);
  record.u64(count);
  record.u64(size);
  record.u64(offset);
  record.u32(zip::kZip64Locator);
  record.u32(0);
  record.u64(offset + size);
  record.u32(1);
  return record.bytes;
}

} // namespace

void ZipWriter::add(const std::string& name, std::span<const std::byte> head,
                    std::span<const std::byte> body) {
  KOLAM_CHECK(name.size() <= 0xffff);
  ZipEntry entry;
  entry.name = name;
  entry.checksum = checksum_of(checksum_of(0, head), body);
  entry.size = head.size() + body.size();
  entry.packed_size = entry.size;
  entry.header_offset = file_.position();
  const std::string header = local_header(entry, zip64_from_);
  file_.write(header.data(), header.size());
  file_.write(head.data(), head.size());
  file_.write(body.data(), body.size());
  entries_.push_back(std::move(entry));
}

void ZipWriter::finish() {
  const uint64_t offset = file_.position();
  for (const ZipEntry& entry : entries_) {
    const std::string header = directory_header(entry, zip64_from_);
    file_.write(header.data(), header.size());
  }
  const uint64_t size = file_.position() - offset;
  const uint64_t count = entries_.size();
  const bool wide = count >= zip::kCountInZip64 || offset >= zip64_from_ || size >= zip64_from_;
  Record record;
  if (wide)
    record.bytes = zip64_end(count, offset, size);
  record.u32(zip::kDirectoryEnd);
  record.u16(0);
  record.u16(0);
  record.u16(wide ? zip::kCountInZip64 : count);
  record.u16(wide ? zip::kCountInZip64 : count);
  record.u32(wide ? zip::kInZip64 : size);
  record.u32(wide ? zip::kInZip64 : offset);
  record.u16(0);
  file_.write(record.bytes.data(), record.bytes.size());
}

} // namespace kolam::runtime
