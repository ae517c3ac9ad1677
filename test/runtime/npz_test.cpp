// `.npz` archives: stored, deflated and ZIP64 entries, and hostile archives.
#include "kolam/runtime/npz.h"

#include "kolam/runtime/npy.h"

#include "expect_error.h"
#include "temporary_directory.h"

#include <cstring>
#include <functional>
#include <zlib.h>

namespace kolam::runtime {
namespace {

/// What a test archive says of its one entry; a test changes one field.
struct Claims {
  std::string name = "x.npy";
  uint16_t flags = 0;
  uint16_t method = 8;
  uint32_t checksum = 0;
  uint32_t packed_size = 0;
  uint32_t size = 0;
  uint32_t header_offset = 0;
  uint16_t count = 1;
  uint32_t directory_offset = 0;
  uint32_t directory_size = 0;
  std::string extra;
  std::string comment;
};

void put(std::string& text, uint64_t value, int width) {
  for (int i = 0; i < width; ++i)
    text += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string deflated(const std::string& text) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(compressBound(text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string text_of(const Array& array) {
  const std::vector<std::byte> bytes = write_npy(array);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// An archive of one deflated entry, true but for what `change` makes of it.
std::string archive(const std::string& content, const std::function<void(Claims&)>& change = {}) {
  const std::string packed = deflated(content);
  Claims claims;
  claims.checksum = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
  claims.packed_size = static_cast<uint32_t>(packed.size());
  claims.size = static_cast<uint32_t>(content.size());
  claims.directory_offset = static_cast<uint32_t>(30 + claims.name.size() + packed.size());
  claims.directory_size = static_cast<uint32_t>(46 + claims.name.size());
  std::string text = "PK\3\4";
  put(text, 20, 2);
  text += std::string(20, '\0'); // what only the directory is asked for
  put(text, claims.name.size(), 2);
  put(text, 0, 2);
  text += claims.name + packed;
  if (change)
    change(claims);
  text += "PK\1\2";
  put(text, 20 << 16 | 20, 4);
  put(text, claims.flags, 2);
  put(text, claims.method, 2);
  put(text, 0, 4);
  put(text, claims.checksum, 4);
  put(text, claims.packed_size, 4);
  put(text, claims.size, 4);
  put(text, claims.name.size(), 2);
  put(text, claims.extra.size(), 2);
  text += std::string(10, '\0'); // comment, disk, attributes
  put(text, claims.header_offset, 4);
  text += claims.name + claims.extra;
  text += "PK\5\6";
  put(text, 0, 4);
  put(text, claims.count, 2);
  put(text, claims.count, 2);
  put(text, claims.directory_size, 4);
  put(text, claims.directory_offset, 4);
  put(text, claims.comment.size(), 2);
  return text + claims.comment;
}

std::vector<NamedArray> read(const std::string& text) {
  return read_npz(std::as_bytes(std::span(text)), "x.npz");
}

std::string reason(const std::string& text) {
  const Error error = error_of([&] { read(text); });
  EXPECT_EQ(error.slug(), "bad-npz") << error.what();
  EXPECT_EQ(error.kind(), ErrorKind::io);
  const std::string start = "'x.npz' is no valid .npz file: ";
  EXPECT_TRUE(error.message().starts_with(start)) << error.message();
  return error.message().substr(std::min(start.size(), error.message().size()));
}

std::string reason_where(const std::function<void(Claims&)>& change) {
  return reason(archive(text_of(Array::of<float>({1, 2, 3})), change));
}

TEST(Npz, RoundTrips) {
  const TemporaryDirectory directory;
  const std::vector<NamedArray> arrays = {{"a", Array::of<float>({1, 2, 3, 4}, {2, 2})},
                                          {"größe/b", Array::scalar(true)},
                                          {"empty", Array::zeros(DType::bf16, {0, 3})}};
  save_npz(directory.file("x.npz"), arrays);
  const std::vector<NamedArray> loaded = load_npz(directory.file("x.npz"));
  ASSERT_EQ(loaded.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(loaded[i].name, arrays[i].name);
    EXPECT_TRUE(same_bits(loaded[i].array, arrays[i].array));
  }
  EXPECT_EQ(directory.entry_count(), 1u);
}

TEST(Npz, AnArchiveMayBeEmpty) {
  const TemporaryDirectory directory;
  save_npz(directory.file("x.npz"), {});
  EXPECT_TRUE(load_npz(directory.file("x.npz")).empty());
}

TEST(Npz, MoreThan65535Entries) {
  const TemporaryDirectory directory;
  std::vector<NamedArray> arrays;
  for (int i = 0; i < 65600; ++i)
    arrays.push_back({std::to_string(i), Array()});
  const Array shared = Array::scalar<int8_t>(1);
  for (NamedArray& named : arrays)
    named.array = shared;
  save_npz(directory.file("x.npz"), arrays);
  EXPECT_EQ(load_npz(directory.file("x.npz")).size(), arrays.size());
}

TEST(Npz, ReadsDeflatedEntries) {
  const Array large = Array::zeros(DType::f64, {300, 1000});
  const std::vector<NamedArray> loaded = read(archive(text_of(large)));
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_EQ(loaded[0].name, "x");
  EXPECT_TRUE(same_bits(loaded[0].array, large));
}

TEST(Npz, ACommentMayFollow) {
  const std::string text = archive(text_of(Array::scalar(1)), [](Claims& claims) {
    claims.comment = "PK\5\6 looks like the end";
  });
  EXPECT_EQ(read(text).size(), 1u);
}

TEST(NpzError, Directory) {
  EXPECT_EQ(reason(""), "it is too short for an archive");
  EXPECT_EQ(reason(std::string(1000, 'x')), "it has no archive directory");
  EXPECT_EQ(reason_where([](Claims& c) { c.directory_offset = 0x7fffffff; }),
            "its directory lies outside the file");
  EXPECT_EQ(reason_where([](Claims& c) { c.count = 1000; }),
            "its directory is too short for 1000 entries");
  EXPECT_EQ(reason_where([](Claims& c) { c.directory_offset -= 1; }), "its directory is corrupt");
  EXPECT_EQ(reason_where([](Claims& c) { c.count = 0xffff; }),
            "its ZIP64 locator is missing or names another disk");
}

TEST(NpzError, Entry) {
  EXPECT_EQ(reason_where([](Claims& c) { c.flags = 1; }), "entry 'x.npy' is encrypted");
  EXPECT_EQ(reason_where([](Claims& c) { c.method = 12; }),
            "entry 'x.npy' is packed by method 12; only stored and deflated are supported");
  EXPECT_EQ(reason_where([](Claims& c) { c.method = 0; }),
            "entry 'x.npy' is stored in another size than its own");
  EXPECT_EQ(reason_where([](Claims& c) { c.header_offset = 1; }),
            "entry 'x.npy' has no header of its own");
  EXPECT_EQ(reason_where([](Claims& c) { c.name = "x.txt"; }), "entry 'x.txt' is no .npy file");
  EXPECT_EQ(reason_where([](Claims& c) { c.name = "x\xff.py"; }), "an entry's name is not UTF-8");
  EXPECT_EQ(reason_where([](Claims& c) { c.checksum ^= 1; }),
            "the checksum of entry 'x.npy' is wrong");
  EXPECT_EQ(reason_where([](Claims& c) { c.packed_size -= 3; }),
            "the data of entry 'x.npy' is corrupt");
  EXPECT_EQ(reason_where([](Claims& c) { c.packed_size = 0x7fffffff; }),
            "entry 'x.npy' lies outside the file");
}

TEST(NpzError, BombsAreRefusedBeforeMemoryIsTaken) {
  EXPECT_EQ(reason_where([](Claims& c) { c.size = 0xfffffffe; }),
            "entry 'x.npy' claims more bytes than its data can hold");
  EXPECT_EQ(reason_where([](Claims& c) {
              c.size = 0xffffffff;
              c.extra = std::string("\1\0\10\0\xff\xff\xff\xff\xff\xff\xff\x7f", 12);
              c.directory_size += 12;
            }),
            "entry 'x.npy' claims more bytes than its data can hold");
}

TEST(NpzError, ExtraFieldsCutOff) {
  EXPECT_EQ(reason_where([](Claims& c) {
              c.size = 0xffffffff;
              c.extra = std::string("\1\0\4\0\1\2\3\4", 8);
              c.directory_size += 8;
            }),
            "the extra fields of entry 'x.npy' are corrupt");
}

TEST(NpzError, OverlappingAndDoubleEntries) {
  std::string text = archive(text_of(Array::scalar(1)));
  const size_t directory = text.find("PK\1\2");
  const size_t end = text.find("PK\5\6");
  const std::string entry = text.substr(directory, end - directory);
  text.insert(end, entry);
  text[end + entry.size() + 8] = 2;
  text[end + entry.size() + 10] = 2;
  text[end + entry.size() + 12] = static_cast<char>(2 * entry.size());
  EXPECT_EQ(reason(text), "entries 'x.npy' and 'x.npy' overlap");
}

TEST(NpzError, MalformedArraysAreNamed) {
  const Error error = error_of([] { read(archive("no array")); });
  EXPECT_STREQ(error.what(), "[bad-npy] 'x.npz/x.npy' is no valid .npy file: it does not start "
                             "with \\x93NUMPY");
}

TEST(NpzError, Names) {
  const TemporaryDirectory directory;
  const Array one = Array::scalar(1);
  for (const std::string& name : {std::string(), std::string("a\0b", 3), std::string("\xff"),
                                  std::string("\xed\xa0\x80"), std::string(70000, 'x')})
    EXPECT_EQ(error_of([&] { save_npz(directory.file("x"), {{name, one}}); }).slug(), "bad-name");
  EXPECT_EQ(error_of([&] { save_npz(directory.file("x"), {{"a", one}, {"a", one}}); }).message(),
            "expected each name once, but got 'a' twice");
  EXPECT_EQ(directory.entry_count(), 0u);
}

} // namespace
} // namespace kolam::runtime
