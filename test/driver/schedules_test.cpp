// Measurements: kept, found, and what follows from them.
#include "kolam/driver/schedules.h"

#include "temporary_cache.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

using lower::Schedule;

const std::vector<Schedule> kPossible = {{}, {8, 3}, {4, 6}, {12, 2}};

TEST(Fastest, IsTheRulesWithoutMeasurements) { EXPECT_EQ(fastest({}, kPossible), Schedule()); }

TEST(Fastest, NeedsAGainOverTheRules) {
  EXPECT_EQ(fastest({{{}, 1.0}, {{8, 3}, 0.99}}, kPossible), Schedule());
  EXPECT_EQ(fastest({{{}, 1.0}, {{8, 3}, 0.9}, {{4, 6}, 0.8}}, kPossible), (Schedule{4, 6}));
  EXPECT_EQ(fastest({{{}, 1.0}, {{8, 3}, 2.0}}, kPossible), Schedule());
}

TEST(Fastest, IsPossible) {
  EXPECT_EQ(fastest({{{}, 1.0}, {{7, 7}, 0.1}, {{8, 3}, 0.5}}, kPossible), (Schedule{8, 3}));
}

void expect_kept() {
  ContentKey key = content_key({"a nest"});
  EXPECT_TRUE(find_measurements(key).empty());
  keep_measurements(key, {{{}, 1.5}, {{8, 3}, 1.25e-5}});
  std::vector<Measurement> found = find_measurements(key);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].schedule, (Schedule{8, 3}));
  EXPECT_EQ(found[1].seconds, 1.25e-5);
  EXPECT_TRUE(find_measurements(content_key({"another nest"})).empty());
}

TEST(Measurements, AreKeptOnDisk) {
  TemporaryCache cache;
  expect_kept();
  EXPECT_EQ(cache.files().size(), 1u);
}

TEST(Measurements, AreKeptInTheProcessWithoutADisk) { expect_kept(); }

TEST(Measurements, LeaveOutWhatTheyCannotRead) {
  TemporaryCache cache;
  ContentKey key = content_key({"a nest"});
  keep_entry(
      CacheDirectory::open(), Shelf::schedules, key,
      "rows 1 vectors 1: -1 s\nnonsense\nrows 8 vectors 3: 2.0e+00 s\nrows 4 vectors 6: nan s\n");
  std::vector<Measurement> found = find_measurements(key);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].schedule, (Schedule{8, 3}));
}

} // namespace
} // namespace kolam::driver
