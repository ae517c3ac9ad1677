// Measurements: kept, found, and what follows from them.
#include "kolam/driver/schedules.h"

#include "temporary_cache.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

using nest::Schedule;

/// A schedule of one stage, by so many lanes.
Schedule of_lanes(int lanes) {
  return {{"y"}, {{"i", 64}}, {{nest::ScheduleStage{0, {}, nest::Emitter::elements, lanes}}}};
}
const Schedule kRules = of_lanes(1), kEight = of_lanes(8), kFour = of_lanes(4);
const std::vector<Schedule> kPossible = {kRules, kEight, kFour};

TEST(Fastest, IsTheRulesWithoutMeasurements) { EXPECT_EQ(fastest({}, kPossible), kRules); }

TEST(Fastest, NeedsAGainOverTheRules) {
  EXPECT_EQ(fastest({{kRules, 1.0}, {kEight, 0.99}}, kPossible), kRules);
  EXPECT_EQ(fastest({{kRules, 1.0}, {kEight, 0.9}, {kFour, 0.8}}, kPossible), kFour);
  EXPECT_EQ(fastest({{kRules, 1.0}, {kEight, 2.0}}, kPossible), kRules);
}

TEST(Fastest, IsPossible) {
  EXPECT_EQ(fastest({{kRules, 1.0}, {of_lanes(2), 0.1}, {kEight, 0.5}}, kPossible), kEight);
}

void expect_kept() {
  ContentKey key = content_key({"a nest"});
  EXPECT_TRUE(find_measurements(key).empty());
  keep_measurements(key, {{kRules, 1.5}, {kEight, 1.25e-5}});
  std::vector<Measurement> found = find_measurements(key);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].schedule, kEight);
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
  keep_entry(CacheDirectory::open(), Shelf::schedules, key,
             "ops y;dims i 64;y by elements: -1 s\nnonsense\n"
             "ops y;dims i 64;y by elements lanes 8: 2.0e+00 s\nops y;y by elements: nan s\n");
  std::vector<Measurement> found = find_measurements(key);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].schedule, kEight);
}

} // namespace
} // namespace kolam::driver
