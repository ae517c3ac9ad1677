// Reads ZIP archives without trusting anything they say.
#include "kolam/runtime/zip.h"

#include "kolam/runtime/memory.h"
#include "kolam/runtime/zip_format.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>
#include <zlib.h>

namespace kolam::runtime {
namespace {

/// Deflate spends at least two bits on a match of 258 bytes; the slack is for blocks too short for
/// that.
constexpr uint64_t kMaxRatio = 1032;
constexpr size_t kInputBlock = 64 << 10;

/// Little-endian fields from front to back; reading past the end gives nothing but `failed`.
struct Fields {
  std::span<const uint8_t> bytes;
  bool failed = false;

  std::span<const uint8_t> take(uint64_t count) {
    if (count > bytes.size()) {
      failed = true;
      return {};
    }
    auto front = bytes.first(count);
    bytes = bytes.subspan(count);
    return front;
  }
  uint64_t number(uint64_t width) {
    uint64_t value = 0;
    int shift = 0;
    for (uint8_t byte : take(width)) {
      value |= uint64_t{byte} << shift;
      shift += 8;
    }
    return value;
  }
  uint16_t u16() { return static_cast<uint16_t>(number(2)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }
};

std::vector<uint8_t> read_bytes(const ByteSource& source, uint64_t offset, uint64_t count) {
  require_memory(static_cast<int64_t>(count), "reading '" + source.name() + "'");
  std::vector<uint8_t> bytes(count);
  source.read_at(offset, bytes.data(), bytes.size());
  return bytes;
}

/// Where the directory lies and how many entries it claims.
struct Directory {
  uint64_t offset;
  uint64_t size;
  uint64_t count;
};

/// The record at the end, which only its own comment may follow.
uint64_t find_directory_end(const ByteSource& source) {
  if (source.size() < zip::kDirectoryEndSize)
    fail_bad_npz(source, "it is too short for an archive");
  const uint64_t count = std::min<uint64_t>(source.size(), zip::kDirectoryEndSize + 0xffff);
  const std::vector<uint8_t> tail = read_bytes(source, source.size() - count, count);
  for (uint64_t i = count - zip::kDirectoryEndSize + 1; i-- > 0;) {
    Fields fields = {std::span(tail).subspan(i)};
    if (fields.u32() != zip::kDirectoryEnd)
      continue;
    fields.take(16);
    if (fields.u16() == fields.bytes.size())
      return source.size() - count + i;
  }
  fail_bad_npz(source, "it has no archive directory");
}

Directory read_zip64_end(const ByteSource& source, uint64_t end) {
  if (end < zip::kZip64LocatorSize)
    fail_bad_npz(source, "its ZIP64 locator is missing");
  const uint64_t locator_at = end - zip::kZip64LocatorSize;
  const auto locator_bytes = read_bytes(source, locator_at, zip::kZip64LocatorSize);
  Fields locator = {locator_bytes};
  if (locator.u32() != zip::kZip64Locator || locator.u32() != 0)
    fail_bad_npz(source, "its ZIP64 locator is missing or names another disk");
  const uint64_t record_at = locator.u64();
  if (record_at > locator_at || locator_at - record_at < zip::kZip64DirectoryEndSize)
    fail_bad_npz(source, "its ZIP64 directory end lies outside the file");
  const auto record_bytes = read_bytes(source, record_at, zip::kZip64DirectoryEndSize);
  Fields record = {record_bytes};
  if (record.u32() != zip::kZip64DirectoryEnd)
    fail_bad_npz(source, "its ZIP64 directory end is missing");
  record.take(20); // its size, versions, disk numbers
  record.u64();    // entries on this disk
  const uint64_t count = record.u64();
  const uint64_t size = record.u64();
  return {record.u64(), size, count};
}

Directory find_directory(const ByteSource& source) {
  const uint64_t end = find_directory_end(source);
  const auto bytes = read_bytes(source, end, zip::kDirectoryEndSize);
  Fields fields = {bytes};
  fields.u32();
  const uint16_t disk = fields.u16();
  const uint16_t directory_disk = fields.u16();
  const uint16_t here = fields.u16();
  const uint16_t count = fields.u16();
  const uint32_t size = fields.u32();
  const uint32_t offset = fields.u32();
  Directory directory = {offset, size, count};
  if (count == zip::kCountInZip64 || size == zip::kInZip64 || offset == zip::kInZip64)
    directory = read_zip64_end(source, end);
  else if (disk != 0 || directory_disk != 0 || here != count)
    fail_bad_npz(source, "it is split over several files");
  if (directory.offset > end || directory.size > end - directory.offset)
    fail_bad_npz(source, "its directory lies outside the file");
  if (directory.count > directory.size / zip::kDirectoryHeaderSize)
    fail_bad_npz(source,
                 "its directory is too short for " + std::to_string(directory.count) + " entries");
  return directory;
}

/// Numbers too wide for their fields stand in an extra field, in this order.
bool read_zip64_extra(Fields extra, ZipEntry& entry) {
  while (!extra.bytes.empty()) {
    const uint16_t id = extra.u16();
    Fields field = {extra.take(extra.u16())};
    if (extra.failed)
      return false;
    if (id != zip::kZip64Extra)
      continue;
    for (uint64_t* number : {&entry.size, &entry.packed_size, &entry.header_offset})
      if (*number == zip::kInZip64)
        *number = field.u64();
    return !field.failed;
  }
  return true;
}

void check_entry(const ByteSource& source, const ZipEntry& entry, uint64_t directory_offset) {
  auto refuse = [&](const char* reason) {
    fail_bad_npz(source, "entry '" + entry.name + "' " + reason);
  };
  if (entry.header_offset > directory_offset ||
      directory_offset - entry.header_offset < zip::kLocalHeaderSize ||
      entry.packed_size > directory_offset - entry.header_offset - zip::kLocalHeaderSize)
    refuse("lies outside the file");
  if (entry.method == ZipMethod::stored && entry.packed_size != entry.size)
    refuse("is stored in another size than its own");
  if (entry.size > INT64_MAX / 2 || entry.size / kMaxRatio > entry.packed_size)
    refuse("claims more bytes than its data can hold");
}

ZipEntry read_entry(const ByteSource& source, Fields& fields) {
  ZipEntry entry;
  if (fields.u32() != zip::kDirectoryHeader)
    fail_bad_npz(source, "its directory is corrupt");
  fields.take(4); // versions
  const uint16_t flags = fields.u16();
  const uint16_t method = fields.u16();
  fields.take(4); // time and date
  entry.checksum = fields.u32();
  entry.packed_size = fields.u32();
  entry.size = fields.u32();
  const uint16_t name_size = fields.u16();
  const uint16_t extra_size = fields.u16();
  const uint16_t comment_size = fields.u16();
  fields.take(8); // disk, attributes
  entry.header_offset = fields.u32();
  const auto name = fields.take(name_size);
  entry.name.assign(name.begin(), name.end());
  const Fields extra = {fields.take(extra_size)};
  fields.take(comment_size);
  if (fields.failed)
    fail_bad_npz(source, "its directory is cut off");
  if (!is_utf8(entry.name))
    fail_bad_npz(source, "an entry's name is not UTF-8");
  if (flags & zip::kEncryptedFlag)
    fail_bad_npz(source, "entry '" + entry.name + "' is encrypted");
  if (method != 0 && method != 8)
    fail_bad_npz(source, "entry '" + entry.name + "' is packed by method " +
                             std::to_string(method) + "; only stored and deflated are supported");
  entry.method = static_cast<ZipMethod>(method);
  if (!read_zip64_extra(extra, entry))
    fail_bad_npz(source, "the extra fields of entry '" + entry.name + "' are corrupt");
  return entry;
}

/// Overlapping entries would unpack the same bytes many times over.
void check_disjoint(const ByteSource& source, std::vector<ZipEntry> entries) {
  std::ranges::sort(entries, {}, &ZipEntry::header_offset);
  for (size_t i = 1; i < entries.size(); ++i) {
    const ZipEntry& previous = entries[i - 1];
    if (entries[i].header_offset - previous.header_offset <
        zip::kLocalHeaderSize + previous.packed_size)
      fail_bad_npz(source, "entries '" + previous.name + "' and '" + entries[i].name + "' overlap");
  }
}

} // namespace

void fail_bad_npz(const ByteSource& source, const std::string& reason) {
  fail(ErrorKind::io, "bad-npz", "'" + source.name() + "' is no valid .npz file: " + reason);
}

bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead == 0 || (lead >= 0x80 && lead < 0xc2) || lead > 0xf4)
      return false;
    const size_t more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? lead : lead & (0x3fu >> more);
    for (size_t k = 0; k < more; ++k) {
      const auto next = ++i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
      if ((next & 0xc0) != 0x80)
        return false;
      code = code << 6 | (next & 0x3f);
    }
    const bool is_overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    if (is_overlong || is_surrogate || code > 0x10ffff)
      return false;
  }
  return true;
}

std::vector<ZipEntry> read_zip_directory(const ByteSource& source) {
  const Directory directory = find_directory(source);
  const auto bytes = read_bytes(source, directory.offset, directory.size);
  Fields fields = {bytes};
  std::vector<ZipEntry> entries;
  for (uint64_t i = 0; i < directory.count; ++i) {
    entries.push_back(read_entry(source, fields));
    check_entry(source, entries.back(), directory.offset);
  }
  check_disjoint(source, entries);
  return entries;
}

struct ZipEntryReader::Inflater {
  z_stream stream = {};
  std::vector<Bytef> input = std::vector<Bytef>(kInputBlock);
  bool ended = false;
};

ZipEntryReader::ZipEntryReader(const ByteSource& source, const ZipEntry& entry)
    : source_(source), entry_(entry), packed_left_(entry.packed_size) {
  const auto bytes = read_bytes(source, entry.header_offset, zip::kLocalHeaderSize);
  Fields fields = {bytes};
  if (fields.u32() != zip::kLocalHeader)
    fail_bad_npz(source, "entry '" + entry.name + "' has no header of its own");
  fields.take(22); // what the directory has said already
  const uint64_t name_size = fields.u16();
  const uint64_t extra_size = fields.u16();
  at_ = entry.header_offset + zip::kLocalHeaderSize + name_size + extra_size;
  if (at_ > source.size() || packed_left_ > source.size() - at_)
    fail_bad_npz(source, "entry '" + entry.name + "' lies outside the file");
  if (entry.method == ZipMethod::stored)
    return;
  auto inflater = std::make_unique<Inflater>();
  if (inflateInit2(&inflater->stream, -MAX_WBITS) != Z_OK)
    fail_out_of_memory(kInputBlock, "unpacking '" + source.name() + "'");
  inflater_ = std::move(inflater);
}

ZipEntryReader::~ZipEntryReader() {
  if (inflater_)
    inflateEnd(&inflater_->stream);
}

void ZipEntryReader::read_next(void* to, size_t count) {
  auto* out = static_cast<std::byte*>(to);
  while (count > 0) {
    const size_t block =
        std::min<size_t>(count, 1 << 20); // the checksum is taken while in the cache
    if (inflater_) {
      inflate_next(out, block);
    } else if (block > packed_left_) {
      fail_bad_npz(source_, "entry '" + entry_.name + "' ends early");
    } else {
      source_.read_at(at_, out, block);
      at_ += block;
      packed_left_ -= block;
    }
    checksum_ = static_cast<uint32_t>(
        crc32(checksum_, reinterpret_cast<const Bytef*>(out), static_cast<uInt>(block)));
    out += block;
    count -= block;
  }
}

void ZipEntryReader::refill() {
  z_stream& stream = inflater_->stream;
  if (stream.avail_in > 0 || packed_left_ == 0)
    return;
  const size_t block = static_cast<size_t>(std::min<uint64_t>(packed_left_, kInputBlock));
  source_.read_at(at_, inflater_->input.data(), block);
  at_ += block;
  packed_left_ -= block;
  stream.next_in = inflater_->input.data();
  stream.avail_in = static_cast<uInt>(block);
}

void ZipEntryReader::inflate_next(std::byte* to, size_t count) {
  z_stream& stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(count);
  while (stream.avail_out > 0) {
    if (inflater_->ended)
      fail_bad_npz(source_, "entry '" + entry_.name + "' ends early");
    refill();
    const int status = inflate(&stream, Z_NO_FLUSH);
    inflater_->ended = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END)
      fail_bad_npz(source_, "the data of entry '" + entry_.name + "' is corrupt");
  }
}

void ZipEntryReader::finish() {
  // The mark of the stream's end may still be ahead; one byte of room must then stay empty.
  while (inflater_ && !inflater_->ended) {
    Bytef extra = 0;
    inflater_->stream.next_out = &extra;
    inflater_->stream.avail_out = 1;
    refill();
    const int status = inflate(&inflater_->stream, Z_NO_FLUSH);
    inflater_->ended = status == Z_STREAM_END;
    if (inflater_->stream.avail_out == 0)
      fail_bad_npz(source_, "entry '" + entry_.name + "' holds more bytes than it claims");
    if (status != Z_OK && status != Z_STREAM_END)
      fail_bad_npz(source_, "the data of entry '" + entry_.name + "' is corrupt");
  }
  if (packed_left_ > 0 || (inflater_ && inflater_->stream.avail_in > 0))
    fail_bad_npz(source_, "entry '" + entry_.name + "' holds more bytes than it claims");
  if (checksum_ != entry_.checksum)
    fail_bad_npz(source_, "the checksum of entry '" + entry_.name + "' is wrong");
}

} // namespace kolam::runtime
