// Reads and writes `.npz` archives.
#include "kolam/runtime/npz.h"

#include "kolam/runtime/file.h"
#include "kolam/runtime/memory.h"
#include "kolam/runtime/npy.h"
#include "kolam/runtime/zip.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <set>

namespace kolam::runtime {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr size_t kMaxName = 65000;

/// All claims together, so that many small lies are no large one.
void check_total(const ByteSource& source, const std::vector<ZipEntry>& entries) {
  int64_t total = 0;
  for (const ZipEntry& entry : entries)
    if (__builtin_add_overflow(total, static_cast<int64_t>(entry.size), &total))
      fail_bad_npz(source, "its entries claim more than 2^63 - 1 bytes");
  require_memory(total, "loading '" + source.name() + "'");
}

void check_names(const ByteSource& source, const std::vector<ZipEntry>& entries) {
  std::set<std::string_view> seen;
  for (const ZipEntry& entry : entries) {
    if (!entry.name.ends_with(kSuffix) || entry.name.size() == kSuffix.size())
      fail_bad_npz(source, "entry '" + entry.name + "' is no .npy file");
    if (!seen.insert(entry.name).second)
      fail_bad_npz(source, "it has two entries '" + entry.name + "'");
  }
}

std::vector<NamedArray> read_archive(const ByteSource& source) {
  const std::vector<ZipEntry> entries = read_zip_directory(source);
  check_names(source, entries);
  check_total(source, entries);
  std::vector<NamedArray> arrays;
  for (const ZipEntry& entry : entries) {
    ZipEntryReader reader(source, entry);
    auto read_next = [&](void* to, size_t count) { reader.read_next(to, count); };
    Array array = read_npy_stream(entry.size, read_next, source.name() + "/" + entry.name);
    reader.finish();
    arrays.push_back({entry.name.substr(0, entry.name.size() - kSuffix.size()), std::move(array)});
  }
  return arrays;
}

void check_savable(const std::vector<NamedArray>& arrays) {
  auto refuse = [](const std::string& reason) { fail(ErrorKind::value, "bad-name", reason); };
  std::set<std::string_view> seen;
  for (const NamedArray& named : arrays) {
    if (!named.array)
      fail(ErrorKind::value, "empty-tensor",
           "expected an array for '" + named.name + "', but got an empty handle");
    if (named.name.empty() || named.name.size() > kMaxName || !is_utf8(named.name))
      refuse("expected names of 1 to 65000 bytes of UTF-8 without zero bytes");
    if (!seen.insert(named.name).second)
      refuse("expected each name once, but got '" + named.name + "' twice");
  }
}

} // namespace

std::vector<NamedArray> load_npz(const std::string& path) {
  return read_archive(ByteSource::open(path));
}

std::vector<NamedArray> read_npz(std::span<const std::byte> bytes, const std::string& name) {
  return read_archive(ByteSource::of(bytes, name));
}

void save_npz(const std::string& path, const std::vector<NamedArray>& arrays) {
  check_savable(arrays);
  AtomicFile file(path);
  ZipWriter writer(file);
  for (const NamedArray& named : arrays) {
    const std::string header = npy_header(named.array);
    const auto* data = static_cast<const std::byte*>(named.array.data());
    writer.add(named.name + std::string(kSuffix), std::as_bytes(std::span(header)),
               {data, static_cast<size_t>(named.array.byte_count())});
  }
  writer.finish();
  file.commit();
}

} // namespace kolam::runtime
