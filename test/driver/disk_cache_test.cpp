// Entries on disk: kept, found, damaged, evicted.
#include "kolam/driver/disk_cache.h"

#include "temporary_cache.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kolam::driver {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::optional<std::string> find(const ContentKey& key) {
  return find_entry(CacheDirectory::open(), Shelf::objects, key).bytes;
}
bool is_damaged(const ContentKey& key) {
  return find_entry(CacheDirectory::open(), Shelf::objects, key).is_damaged;
}
bool keep(const ContentKey& key, const std::string& bytes) {
  return keep_entry(CacheDirectory::open(), Shelf::objects, key, bytes);
}

TEST(ContentKey, DependsOnEveryPartAndItsEnds) {
  EXPECT_EQ(content_key({"a", "b"}), content_key({"a", "b"}));
  EXPECT_NE(content_key({"a", "b"}), content_key({"ab", ""}));
  EXPECT_NE(content_key({"a", "b"}), content_key({"a", "c"}));
  EXPECT_EQ(to_string(content_key({})).size(), 64u);
}

TEST(DiskCache, FindsWhatItKept) {
  TemporaryCache cache;
  ContentKey key = content_key({"one"});
  EXPECT_FALSE(find(key));
  std::string bytes("\0nest", 5);
  EXPECT_TRUE(keep(key, bytes));
  EXPECT_EQ(find(key), bytes);
  EXPECT_FALSE(find(content_key({"two"})));
  EXPECT_TRUE(keep(key, ""));
  EXPECT_EQ(find(key), "");
}

TEST(DiskCache, KeepsShelvesApart) {
  TemporaryCache cache;
  ContentKey key = content_key({"one"});
  keep(key, "object");
  CacheDirectory directory = CacheDirectory::open();
  EXPECT_FALSE(find_entry(directory, Shelf::schedules, key).bytes);
  keep_entry(directory, Shelf::schedules, key, "schedule");
  clear(directory, Shelf::objects);
  EXPECT_FALSE(find(key));
  EXPECT_EQ(find_entry(directory, Shelf::schedules, key).bytes, "schedule");
}

TEST(DiskCache, RefusesEveryChangedByteAndReplacesTheEntry) {
  TemporaryCache cache;
  ContentKey key = content_key({"one"});
  keep(key, "code");
  fs::path path = cache.files().at(0);
  const std::string whole = read_file(path);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write_file(path, changed);
    ASSERT_FALSE(find(key)) << "byte " << i;
    ASSERT_TRUE(is_damaged(key));
  }
  EXPECT_TRUE(keep(key, "code"));
  EXPECT_EQ(find(key), "code");
}

TEST(DiskCache, RefusesEveryLengthButItsOwn) {
  TemporaryCache cache;
  ContentKey key = content_key({"one"});
  keep(key, "code");
  fs::path path = cache.files().at(0);
  const std::string whole = read_file(path);
  for (size_t size = 0; size < whole.size(); ++size) {
    write_file(path, whole.substr(0, size));
    ASSERT_FALSE(find(key)) << "bytes " << size;
  }
  write_file(path, whole + "x");
  EXPECT_TRUE(is_damaged(key));
}

TEST(DiskCache, RefusesTheEntryOfAnotherKey) {
  TemporaryCache cache;
  ContentKey key = content_key({"one"}), other = key;
  other[31] ^= 1;
  keep(other, "other");
  fs::path path = cache.files().at(0);
  fs::copy_file(path, path.parent_path() / to_string(key));
  EXPECT_TRUE(is_damaged(key));
  EXPECT_EQ(find(other), "other");
}

TEST(DiskCache, RefusesFilesThatOthersMayWriteAndLinks) {
  TemporaryCache cache;
  ContentKey key = content_key({"one"});
  keep(key, "code");
  fs::path path = cache.files().at(0);
  fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
  EXPECT_TRUE(is_damaged(key));
  fs::permissions(path, fs::perms::others_write, fs::perm_options::remove);
  EXPECT_EQ(find(key), "code");
  fs::path elsewhere = path.string() + ".moved";
  fs::rename(path, elsewhere);
  fs::create_symlink(elsewhere, path);
  EXPECT_TRUE(is_damaged(key));
  EXPECT_TRUE(keep(key, "code")); // in place of the link
  EXPECT_EQ(find(key), "code");
}

TEST(DiskCache, RefusesFilesOfAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  TemporaryCache cache;
  ContentKey key = content_key({"one"});
  keep(key, "code");
  ASSERT_EQ(chown(cache.files().at(0).c_str(), 65534, 65534), 0);
  EXPECT_TRUE(is_damaged(key));
}

/// A key of the first part of a shelf.
ContentKey key_of(int number) {
  ContentKey key = content_key({std::to_string(number)});
  key[0] = 0;
  return key;
}

TEST(DiskCache, EvictsWhatWasUsedLeastRecently) {
  TemporaryCache cache;
  setenv("KOLAM_CACHE_MIB", "1", 1); // a sixteenth are 64 KiB: three entries of 20 KB
  const std::string bytes(20000, 'x');
  auto age = [&](int number, int seconds) {
    for (const fs::path& path : cache.files())
      if (path.filename() == to_string(key_of(number)))
        fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  };
  for (int number : {1, 2, 3}) {
    keep(key_of(number), bytes);
    age(number, 100 - number);
  }
  EXPECT_TRUE(find(key_of(1))); // used now
  keep(key_of(4), bytes);
  EXPECT_TRUE(find(key_of(1)));
  EXPECT_FALSE(find(key_of(2)));
  EXPECT_TRUE(find(key_of(3)));
  EXPECT_TRUE(find(key_of(4)));
  EXPECT_FALSE(keep(key_of(5), std::string(70000, 'x')));
  EXPECT_EQ(usage_of(CacheDirectory::open(), Shelf::objects).entries, 3);
}

TEST(DiskCache, SweepsWhatDeadWritersLeft) {
  TemporaryCache cache;
  keep(key_of(1), "code");
  fs::path part = cache.files().at(0).parent_path();
  write_file(part / ".1-old.tmp", "half");
  write_file(part / ".1-new.tmp", "half");
  fs::last_write_time(part / ".1-old.tmp",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  keep(key_of(2), "code");
  EXPECT_FALSE(fs::exists(part / ".1-old.tmp"));
  EXPECT_TRUE(fs::exists(part / ".1-new.tmp"));
}

/// What a reader may see while writers replace an entry: nothing, or a whole one.
int count_wrong(const ContentKey& key, int turns) {
  int wrong = 0;
  for (int turn = 0; turn < turns; ++turn) {
    keep(key, std::string(1000 + turn % 7, static_cast<char>('a' + turn % 7)));
    FoundEntry entry = find_entry(CacheDirectory::open(), Shelf::objects, key);
    wrong += entry.is_damaged;
    if (entry.bytes)
      wrong += *entry.bytes != std::string(entry.bytes->size(), (*entry.bytes)[0]);
  }
  return wrong;
}

TEST(DiskCache, IsSafeBetweenThreads) {
  TemporaryCache cache;
  ContentKey key = content_key({"one"});
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int& count : wrong)
    threads.emplace_back([&] { count = count_wrong(key, 200); });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST(DiskCache, IsSafeBetweenProcesses) {
  TemporaryCache cache;
  ContentKey key = content_key({"one"});
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    pid_t child = fork();
    if (child == 0)
      _exit(count_wrong(key, 200) == 0 ? 0 : 1);
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(cache.files().size(), 1u);
}

} // namespace
} // namespace kolam::driver
