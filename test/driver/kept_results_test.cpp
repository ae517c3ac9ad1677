// Results of tasks: kept, found, evicted, read from disk.
#include "kolam/driver/kept_results.h"

#include "temporary_cache.h"

#include "kolam/support/error.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace kolam::driver {
namespace {

ContentKey key_of(const std::string& text) { return content_key({text}); }

Array numbers(int64_t count, float first) {
  Array array = Array::uninitialized(DType::f32, {count});
  for (float& value : array.mutable_values<float>())
    value = first++;
  return array;
}

TEST(ResultKey, DependsOnAllThatATaskReads) {
  const Array x = numbers(4, 0), y = numbers(4, 1);
  const Array square = Array::view(x.buffer(), 0, DType::f32, {2, 2});
  const std::vector<int64_t> none, one = {1};
  auto key = [](const char* text, const std::vector<int64_t>& offsets,
                const std::vector<Array>& reads) { return result_key(text, offsets, reads); };
  const ContentKey own = key("a", none, {x});
  EXPECT_EQ(own, key("a", none, {Array::copy_of(DType::f32, {4}, x.data())}));
  for (const ContentKey& other : {key("b", none, {x}), key("a", one, {x}), key("a", none, {y}),
                                  key("a", none, {square}), key("a", none, {x, x})})
    EXPECT_NE(own, other);
}

TEST(KeptResults, WhatWasUsedLeastRecentlyGoes) {
  KeptResults kept(32);
  kept.keep(key_of("a"), {numbers(4, 0)});
  kept.keep(key_of("b"), {numbers(4, 1)});
  EXPECT_TRUE(kept.find(key_of("a")));
  kept.keep(key_of("c"), {numbers(4, 2)});
  EXPECT_FALSE(kept.find(key_of("b")));
  EXPECT_TRUE(runtime::same_bits((*kept.find(key_of("a")))[0], numbers(4, 0)));
  EXPECT_EQ(kept.usage().bytes, 32);
  EXPECT_EQ(kept.usage().entries, 2);
  EXPECT_EQ(kept.usage().hits, 2);
  EXPECT_EQ(kept.usage().misses, 1);
  kept.keep(key_of("large"), {numbers(9, 0)});
  EXPECT_FALSE(kept.find(key_of("large")));
  EXPECT_EQ(kept.usage().entries, 2);
}

TEST(KeptResults, ForeignMemoryIsCopied) {
  float values[2] = {1, 2};
  KeptResults kept(1 << 10);
  kept.keep(key_of("a"), {Array::adopt(DType::f32, {2}, values, [] {})});
  values[0] = 7;
  EXPECT_EQ((*kept.find(key_of("a")))[0].values<float>()[0], 1);
}

TEST(KeptResults, AnotherProcessFindsThemOnDisk) {
  TemporaryCache folder;
  const std::string path = folder.path();
  const std::vector<Array> results = {numbers(6, 3), Array::zeros(DType::i8, {2, 0}),
                                      Array::scalar<double>(0.5)};
  KeptResults(1 << 20, path).keep(key_of("a"), results);
  KeptResults again(1 << 20, path);
  const auto found = again.find(key_of("a"));
  ASSERT_TRUE(found);
  for (size_t result = 0; result < results.size(); ++result)
    EXPECT_TRUE(runtime::same_bits((*found)[result], results[result]));
  EXPECT_EQ(again.usage().hits, 1);
  EXPECT_EQ(again.usage().bytes, 32);
  for (const auto& file : folder.files()) // cut off: as if it was not there
    std::filesystem::resize_file(file, 100);
  EXPECT_FALSE(KeptResults(1 << 20, path).find(key_of("a")));
}

TEST(KeptResults, LargeOnesAreKeptOnDisk) {
  TemporaryCache folder;
  KeptResults kept(1 << 20, folder.path());
  kept.keep(key_of("a"), {numbers((1 << 17) + 5, 0)}); // half of what is allowed
  EXPECT_EQ(folder.files().size(), 1U);
}

TEST(KeptResults, DirectoriesOfOthersAreRefused) {
  TemporaryCache folder;
  std::filesystem::create_directories(folder.path());
  chmod(folder.path().c_str(), 0777);
  try {
    KeptResults kept(1 << 20, folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "io-write");
  }
}

} // namespace
} // namespace kolam::driver
