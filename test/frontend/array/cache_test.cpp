// What the cache says of itself.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace kolam {
namespace {

/// An empty cache directory for the time of a test.
class Cache : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "kolam-cache-XXXXXX";
    ASSERT_TRUE(mkdtemp(pattern.data()));
    path_ = pattern;
    setenv("KOLAM_CACHE", "on", 1);
    setenv("KOLAM_CACHE_DIR", path_.c_str(), 1);
  }
  void TearDown() override {
    setenv("KOLAM_CACHE", "off", 1);
    std::filesystem::remove_all(path_);
  }
  /// Compiles and runs a function, and drops it.
  static float call() {
    return jit([](Tensor x) { return line(x); })(Array::scalar(8.0f)).item<float>();
  }

  std::string path_;

private:
  static Tensor line(const Tensor& x) { return x * 3 + 1; }
};

TEST_F(Cache, CountsWhatItDid) {
  CacheInfo before = cache_info();
  EXPECT_EQ(before.directory, path_);
  EXPECT_EQ(before.reason, "");
  EXPECT_EQ(before.entries, 0);
  EXPECT_EQ(before.allowed_bytes, 256 << 20);
  call();
  EXPECT_EQ(cache_info().entries, 2); // the nest and the program
  EXPECT_GT(cache_info().bytes, 0);
  EXPECT_EQ(cache_info().compiled, before.compiled + 1);
  call();
  EXPECT_EQ(cache_info().loaded, before.loaded + 1);
}

TEST_F(Cache, IsCleared) {
  call();
  clear_cache();
  EXPECT_EQ(cache_info().entries, 0);
  EXPECT_EQ(call(), 25);
}

TEST_F(Cache, SaysThatItIsOff) {
  setenv("KOLAM_CACHE", "off", 1);
  EXPECT_EQ(cache_info().directory, "");
  EXPECT_EQ(cache_info().reason, "KOLAM_CACHE=off");
  EXPECT_EQ(call(), 25);
}

} // namespace
} // namespace kolam
