// Reading regular files only, and writing whole files or none.
#include "kolam/runtime/file.h"

#include "expect_error.h"
#include "temporary_directory.h"

#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kolam::runtime {
namespace {

TEST(ByteSource, ReadsAtAnyPlace) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "abcdef");
  const ByteSource source = ByteSource::open(directory.file("x"));
  ASSERT_EQ(source.size(), 6u);
  char text[3] = {};
  source.read_at(3, text, 3);
  EXPECT_EQ(std::string(text, 3), "def");
  EXPECT_EQ(error_of([&] { source.read_at(4, text, 3); }).slug(), "internal");
}

TEST(ByteSource, RefusesWhatIsNoFile) {
  const TemporaryDirectory directory;
  EXPECT_STREQ(error_of([&] { ByteSource::open("/nowhere/x.npy"); }).what(),
               "[io-read] cannot read '/nowhere/x.npy': No such file or directory");
  EXPECT_EQ(error_of([] { ByteSource::open("/dev/zero"); }).message(),
            "cannot read '/dev/zero': not a regular file");
  EXPECT_EQ(error_of([&] { ByteSource::open(directory.file("")); }).slug(), "io-read");
  ASSERT_EQ(mkfifo(directory.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { ByteSource::open(directory.file("pipe")); }).kind(), ErrorKind::io);
  EXPECT_EQ(error_of([] { ByteSource::open(std::string("a\0b", 3)); }).slug(), "io-read");
}

TEST(ByteSource, NoticesThatTheFileShrank) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "abcdef");
  const ByteSource source = ByteSource::open(directory.file("x"));
  ASSERT_EQ(truncate(directory.file("x").c_str(), 2), 0);
  char text[6] = {};
  EXPECT_NE(error_of([&] { source.read_at(0, text, 6); }).message().find("became shorter"),
            std::string::npos);
}

TEST(AtomicFile, AppearsOnCommit) {
  const TemporaryDirectory directory;
  AtomicFile file(directory.file("x"));
  file.write("abc", 3);
  EXPECT_EQ(file.position(), 3u);
  EXPECT_FALSE(std::filesystem::exists(directory.file("x")));
  file.commit();
  EXPECT_EQ(read_file(directory.file("x")).size(), 3u);
  EXPECT_EQ(directory.entry_count(), 1u);
}

TEST(AtomicFile, WithoutCommitNothingChanges) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "old");
  {
    AtomicFile file(directory.file("x"));
    file.write("newer", 5);
  }
  EXPECT_EQ(read_file(directory.file("x")).size(), 3u);
  EXPECT_EQ(directory.entry_count(), 1u);
}

TEST(AtomicFile, KeepsPermissionsAndFollowsLinks) {
  const TemporaryDirectory directory;
  write_file(directory.file("target"), "old");
  ASSERT_EQ(chmod(directory.file("target").c_str(), 0640), 0);
  std::filesystem::create_symlink("target", directory.file("link"));
  AtomicFile file(directory.file("link"));
  file.write("new!", 4);
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("link")));
  EXPECT_EQ(read_file(directory.file("target")).size(), 4u);
  struct stat status = {};
  ASSERT_EQ(stat(directory.file("target").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(AtomicFile, RefusesWhatIsNoFile) {
  EXPECT_EQ(error_of([] { AtomicFile file("/dev/null"); }).slug(), "io-write");
  EXPECT_EQ(error_of([] { AtomicFile file("/"); }).message(), "cannot write '/': Is a directory");
  EXPECT_STREQ(error_of([] { AtomicFile file("/nowhere/x.npy"); }).what(),
               "[io-write] cannot write '/nowhere/x.npy': No such file or directory");
}

/// In a child, whose files may not exceed 4096 bytes.
int write_too_much(const std::string& path) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {4096, 4096};
  setrlimit(RLIMIT_FSIZE, &limit);
  try {
    AtomicFile file(path);
    file.write(std::string(10000, 'x').data(), 10000);
    file.commit();
  } catch (const Error& error) {
    return error.slug() == "io-write" && error.message().find(path) != std::string::npos ? 0 : 1;
  }
  return 2;
}

TEST(AtomicFile, LeavesNothingBehindOnAFullDisk) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "old");
  const pid_t child = fork();
  if (child == 0)
    _exit(write_too_much(directory.file("x")));
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(directory.entry_count(), 1u);
  EXPECT_EQ(read_file(directory.file("x")).size(), 3u);
}

} // namespace
} // namespace kolam::runtime
