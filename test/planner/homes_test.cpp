// Where elements of arguments are loaded.
#include "kolam/planner/homes.h"

#include <gtest/gtest.h>

namespace kolam::planner {
namespace {

using space::Box;

std::vector<std::pair<std::string, int64_t>> texts(const std::vector<Home>& homes) {
  std::vector<std::pair<std::string, int64_t>> all;
  for (const Home& home : homes)
    all.emplace_back(space::to_string(home.box), home.worker);
  return all;
}

using Texts = std::vector<std::pair<std::string, int64_t>>;

TEST(Homes, BoxesThatOneWorkerNeedsAreLoadedThere) {
  EXPECT_EQ(texts(homes_of({{Box({0}, {4}), 0}, {Box({4}, {8}), 1}})),
            (Texts{{"[0:4]", 0}, {"[4:8]", 1}}));
}

TEST(Homes, WhatSeveralNeedIsSharedEvenly) {
  EXPECT_EQ(texts(homes_of({{Box({0, 0}, {8, 2}), 0}, {Box({0, 0}, {8, 2}), 3}})),
            (Texts{{"[0:4, 0:2]", 0}, {"[4:8, 0:2]", 3}}));
}

TEST(Homes, HalosAreBoxesOfTheirOwn) {
  EXPECT_EQ(texts(homes_of({{Box({0}, {5}), 0}, {Box({3}, {8}), 1}})),
            (Texts{{"[0:3]", 0}, {"[3:4]", 0}, {"[4:5]", 1}, {"[5:8]", 1}}));
}

TEST(Homes, SingleElementsGoToAllInTurn) {
  EXPECT_EQ(texts(homes_of({{Box(), 0}, {Box(), 1}})), (Texts{{"[]", 0}}));
}

TEST(Homes, NothingIsNeededOfEmptyBoxes) {
  EXPECT_TRUE(homes_of({}).empty());
  EXPECT_TRUE(homes_of({{Box({0}, {0}), 0}}).empty());
}

} // namespace
} // namespace kolam::planner
