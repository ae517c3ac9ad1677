// Where compiled code is kept, and which directories are refused.
#include "kolam/driver/cache_directory.h"

#include "temporary_cache.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace kolam::driver {
namespace {

namespace fs = std::filesystem;

TEST(CacheDirectory, IsMadeForTheUserAlone) {
  TemporaryCache cache;
  CacheDirectory directory = CacheDirectory::open();
  ASSERT_TRUE(directory.is_open()) << directory.reason();
  EXPECT_EQ(fs::status(cache.path()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(cache.path().parent_path()).permissions(), fs::perms::owner_all);
}

TEST(CacheDirectory, IsOffWhereTheUserSaysSo) {
  TemporaryCache cache;
  setenv("KOLAM_CACHE", "off", 1);
  CacheDirectory directory = CacheDirectory::open();
  EXPECT_FALSE(directory.is_open());
  EXPECT_EQ(directory.reason(), "KOLAM_CACHE=off");
  EXPECT_FALSE(fs::exists(cache.path()));
}

TEST(CacheDirectory, FollowsTheEnvironment) {
  TemporaryCache cache;
  std::string home = getenv("HOME") ? getenv("HOME") : "";
  unsetenv("KOLAM_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/of/xdg", 1);
  EXPECT_EQ(cache_settings().path, "/of/xdg/kolam");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/of/me", 1);
  EXPECT_EQ(cache_settings().path, "/of/me/.cache/kolam");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(cache_settings().reason,
            "none of KOLAM_CACHE_DIR, XDG_CACHE_HOME and HOME names a directory");
  setenv("HOME", home.c_str(), 1);
}

TEST(CacheDirectory, SaysWhichVariableIsMalformed) {
  TemporaryCache cache;
  setenv("KOLAM_CACHE_MIB", "1.5", 1);
  EXPECT_EQ(cache_settings().reason,
            "KOLAM_CACHE_MIB: expected a number of MiB, at least 1, but got '1.5'");
  setenv("KOLAM_CACHE_MIB", "3", 1);
  EXPECT_EQ(cache_settings().bytes, 3 << 20);
  setenv("KOLAM_CACHE", "yes", 1);
  EXPECT_EQ(cache_settings().reason, "KOLAM_CACHE: expected 'on' or 'off', but got 'yes'");
}

TEST(CacheDirectory, IsRefusedWhereOthersMayWrite) {
  TemporaryCache cache;
  fs::create_directories(cache.path());
  for (fs::perms more : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(cache.path(), fs::perms::owner_all | more);
    CacheDirectory directory = CacheDirectory::open();
    EXPECT_FALSE(directory.is_open());
    EXPECT_EQ(directory.reason(),
              "'" + cache.path().string() + "': others may write it (chmod go-w makes it usable)");
  }
}

TEST(CacheDirectory, IsRefusedWhereAnotherUserOwnsIt) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a directory away";
  TemporaryCache cache;
  fs::create_directories(cache.path());
  ASSERT_EQ(chown(cache.path().c_str(), 65534, 65534), 0);
  CacheDirectory directory = CacheDirectory::open();
  EXPECT_FALSE(directory.is_open());
  EXPECT_EQ(directory.reason(), "'" + cache.path().string() + "': it belongs to another user");
}

TEST(CacheDirectory, SaysWhyItCannotBeMade) {
  TemporaryCache cache;
  fs::create_directories(cache.path().parent_path());
  std::ofstream(cache.path()) << "a file";
  EXPECT_EQ(CacheDirectory::open().reason(), "'" + cache.path().string() + "': Not a directory");
  std::string below = cache.path() / "below";
  setenv("KOLAM_CACHE_DIR", below.c_str(), 1);
  EXPECT_EQ(CacheDirectory::open().reason(), "'" + below + "': Not a directory");
}

} // namespace
} // namespace kolam::driver
