// Transformations of loop nests: the tables of the reference, and random ones by brute force.
#include "kolam/space/transformation.h"

#include <gtest/gtest.h>

#include "test/space/random_space.h"

namespace kolam::space {
namespace {

TEST(Transformation, NothingCarriedIsAllParallel) {
  Transformation loops = wavefront({true, false}, {}).value();
  EXPECT_EQ(to_string(loops.matrix), "[1 0; 0 1]");
  EXPECT_EQ(loops.sequential, 0);
}

TEST(Transformation, ALoneScanGoesOutermost) {
  std::vector<bool> is_map{true, false, false};
  EXPECT_EQ(to_string(wavefront(is_map, {{0, 0, 1}})->matrix), "[0 0 1; 0 1 0; 1 0 0]");
  EXPECT_EQ(to_string(wavefront(is_map, {{0, 1, 0}})->matrix), "[0 1 0; 0 0 1; 1 0 0]");
}

TEST(Transformation, TwoScansMakeAHyperplane) {
  Transformation loops = wavefront({true, false, false}, {{0, 1, 0}, {0, 0, 1}}).value();
  EXPECT_EQ(to_string(loops.matrix), "[0 1 1; 0 1 0; 1 0 0]");
  EXPECT_EQ(to_string(loops.inverse), "[0 0 1; 0 1 0; 1 -1 0]");
  EXPECT_EQ(loops.sequential, 1);
}

TEST(Transformation, ThreeScansMakeAHyperplane) {
  Distances distances{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  EXPECT_EQ(to_string(wavefront({false, false, false, true}, distances)->matrix),
            "[1 1 1 0; 1 0 0 0; 0 1 0 0; 0 0 0 1]");
}

TEST(Transformation, NegativeComponentsNeedFactors) {
  EXPECT_EQ(to_string(wavefront({false, false}, {{1, -1}, {0, 1}})->matrix), "[2 1; 1 0]");
  EXPECT_EQ(
      to_string(wavefront({false, false, false}, {{1, -2, -3}, {0, 1, -1}, {0, 0, 1}})->matrix),
      "[8 2 1; 1 0 0; 0 1 0]");
}

TEST(Transformation, DistancesMustGoForward) {
  EXPECT_FALSE(wavefront({false, false}, {{0, -1}}));
  EXPECT_FALSE(wavefront({false, false}, {{0, 0}}));
}

TEST(Transformation, LegalIsLexicographicallyPositive) {
  EXPECT_TRUE(is_legal({{0, 1}, {1, 0}}, {{1, 0}, {1, 1}}));
  EXPECT_FALSE(is_legal({{0, 1}, {1, 0}}, {{1, -1}}));
}

TEST(Transformation, OnlyUnimodularMatricesHaveInverses) {
  EXPECT_FALSE(unimodular_inverse({{2, 0}, {0, 1}}));
  EXPECT_FALSE(unimodular_inverse({{1, 1}, {1, 1}}));
  EXPECT_FALSE(unimodular_inverse({{1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(to_string(unimodular_inverse({{2, 3}, {1, 1}}).value()), "[-1 3; 1 -2]");
}

/// A distance whose first component that is not 0 is above 0.
Point random_distance(std::mt19937& random, int rank) {
  Point distance(rank, 0);
  int first = static_cast<int>(random() % rank);
  distance[first] = random_between(random, 1, 2);
  for (int dim = first + 1; dim < rank; ++dim)
    distance[dim] = random_between(random, -3, 3);
  return distance;
}

TEST(Transformation, RandomOnesCarryAllInTheOutermostLoop) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    int rank = static_cast<int>(random_between(random, 1, 5));
    Distances distances;
    std::vector<bool> is_map(rank);
    for (int64_t number = random_between(random, 0, 4); number-- > 0;)
      distances.push_back(random_distance(random, rank));
    for (int dim = 0; dim < rank; ++dim)
      is_map[dim] = random() % 2;
    Transformation loops = wavefront(is_map, distances).value();
    ASSERT_TRUE(is_legal(loops.matrix, distances)) << to_string(loops.matrix);
    for (const Point& distance : distances) {
      ASSERT_GE(image(loops.matrix, distance)[0], 1) << to_string(loops.matrix);
      ASSERT_EQ(image(loops.inverse, image(loops.matrix, distance)), distance);
    }
  }
}

} // namespace
} // namespace kolam::space
