// The ZIP layer by itself: what the writer writes, the reader reads, in both widths of its numbers.
#include "kolam/runtime/zip.h"

#include "expect_error.h"
#include "temporary_directory.h"

namespace kolam::runtime {
namespace {

void write_archive(const std::string& path, uint64_t zip64_from) {
  const std::string text = "content";
  const auto content = std::as_bytes(std::span(text));
  AtomicFile file(path);
  ZipWriter writer(file, zip64_from);
  writer.add("a", content, {});
  writer.add("ö", content.first(3), content.subspan(3));
  writer.finish();
  file.commit();
}

TEST(Zip, RoundTripsInBothWidths) {
  const TemporaryDirectory directory;
  for (uint64_t zip64_from : {uint64_t{1}, uint64_t{0xffffffff}}) {
    write_archive(directory.file("x"), zip64_from);
    const ByteSource source = ByteSource::open(directory.file("x"));
    const std::vector<ZipEntry> entries = read_zip_directory(source);
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[1].name, "ö");
    for (const ZipEntry& entry : entries) {
      ASSERT_EQ(entry.size, 7u);
      ZipEntryReader reader(source, entry);
      std::string text(7, ' ');
      reader.read_next(text.data(), 4);
      reader.read_next(text.data() + 4, 3);
      reader.finish();
      EXPECT_EQ(text, "content");
    }
  }
}

TEST(Zip, ReadingPastTheEndIsAnError) {
  const TemporaryDirectory directory;
  write_archive(directory.file("x"), 0xffffffff);
  const ByteSource source = ByteSource::open(directory.file("x"));
  const std::vector<ZipEntry> entries = read_zip_directory(source);
  ZipEntryReader reader(source, entries[0]);
  char text[8] = {};
  EXPECT_NE(error_of([&] { reader.read_next(text, 8); }).message().find("entry 'a' ends early"),
            std::string::npos);
}

TEST(Zip, Utf8) {
  for (const char* good : {"", "abc", "ö", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad : {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                          "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xff"})
    EXPECT_FALSE(is_utf8(bad)) << bad;
  EXPECT_FALSE(is_utf8(std::string_view("a\0b", 3)));
}

} // namespace
} // namespace kolam::runtime
