// Policies: the rows of P6 and every policy at the edges.
#include "kolam/space/policy.h"

#include <gtest/gtest.h>

#include <vector>

namespace kolam::space {
namespace {

using Kind = Landing::Kind;

std::vector<int64_t> cells(Policy::Kind kind, std::vector<int64_t> indices, int64_t extent) {
  std::vector<int64_t> result;
  for (int64_t index : indices) {
    Landing landing = land({kind}, index, extent);
    result.push_back(landing.kind == Kind::cell ? landing.index : -1);
  }
  return result;
}

TEST(Policy, P6RowsAboveTheTensor) {
  EXPECT_EQ(cells(Policy::Kind::wrap, {-1, 0, 1}, 4), (std::vector<int64_t>{3, 0, 1}));
  EXPECT_EQ(cells(Policy::Kind::reflect, {-1, 0, 1}, 4), (std::vector<int64_t>{1, 0, 1}));
  EXPECT_EQ(cells(Policy::Kind::clamp, {-1, 0, 1}, 4), (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(cells(Policy::Kind::negative, {-1, 0, 1}, 4), (std::vector<int64_t>{3, 0, 1}));
  EXPECT_EQ(land({Policy::Kind::negative}, 4, 4).kind, Kind::forbidden);
  EXPECT_EQ(land({Policy::Kind::negative}, -5, 4).kind, Kind::forbidden);
}

TEST(Policy, PadDropForbid) {
  EXPECT_EQ(land(Policy::pad(int64_t{7}), -1, 4).kind, Kind::padded);
  EXPECT_EQ(land({Policy::Kind::drop}, 4, 4).kind, Kind::dropped);
  EXPECT_EQ(land({Policy::Kind::forbid}, 4, 4).kind, Kind::forbidden);
  EXPECT_EQ(land({Policy::Kind::forbid}, 3, 4), (Landing{Kind::cell, 3}));
}

TEST(Policy, ReflectGoesBackAndForth) {
  EXPECT_EQ(cells(Policy::Kind::reflect, {-4, -3, -2, 3, 4, 5, 6, 7}, 4),
            (std::vector<int64_t>{2, 3, 2, 3, 2, 1, 0, 1}));
  EXPECT_EQ(cells(Policy::Kind::reflect, {-9, 9}, 1), (std::vector<int64_t>{0, 0}));
}

TEST(Policy, ExtremesStayInside) {
  for (Policy::Kind kind : {Policy::Kind::clamp, Policy::Kind::wrap, Policy::Kind::reflect})
    for (int64_t index : {INT64_MIN, INT64_MAX})
      for (int64_t extent : {int64_t{1}, int64_t{2}, int64_t{7}, INT64_MAX}) {
        Landing landing = land({kind}, index, extent);
        EXPECT_EQ(landing.kind, Kind::cell);
        EXPECT_TRUE(landing.index >= 0 && landing.index < extent);
      }
}

TEST(Policy, NothingLandsInAnEmptyDim) {
  for (Policy::Kind kind : {Policy::Kind::forbid, Policy::Kind::clamp, Policy::Kind::wrap,
                            Policy::Kind::reflect, Policy::Kind::negative})
    EXPECT_EQ(land({kind}, 0, 0).kind, Kind::forbidden);
  EXPECT_EQ(land(Policy::pad(0.5), 0, 0).kind, Kind::padded);
  EXPECT_EQ(land({Policy::Kind::drop}, 0, 0).kind, Kind::dropped);
}

TEST(Policy, RolesAndText) {
  EXPECT_TRUE(can_read({Policy::Kind::clamp}) && !can_write({Policy::Kind::clamp}));
  EXPECT_TRUE(!can_read({Policy::Kind::drop}) && can_write({Policy::Kind::drop}));
  EXPECT_EQ(to_string(Policy{}), "forbid");
  EXPECT_EQ(to_string(Policy::pad(int64_t{-1})), "pad(-1)");
  EXPECT_EQ(to_string(Policy::pad(0.5)), "pad(0.5)");
}

} // namespace
} // namespace kolam::space
