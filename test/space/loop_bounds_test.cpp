// Bounds of transformed loops: those that the reference tables, and random ones by brute force.
#include "kolam/space/loop_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "test/space/random_space.h"

namespace kolam::space {
namespace {

Shape extents(const std::vector<std::string>& names) {
  Shape shape;
  for (const std::string& name : names)
    shape.push_back(Extent::symbol(name));
  return shape;
}

TEST(LoopBounds, StackedLstmOutsideItsBorders) {
  Transformation loops = wavefront({true, false, false}, {{0, 1, 0}, {0, 0, 1}}).value();
  EXPECT_EQ(to_string(loop_bounds(loops, {0, 1, 1}, extents({"N", "D", "L"}), {"m", "d", "n"})),
            "2 <= m < D + L - 1; max(1, m - L + 1) <= d < min(m, D); 0 <= n < N");
}

TEST(LoopBounds, GridOutsideItsBorders) {
  Distances distances{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  Transformation loops = wavefront({false, false, false, true}, distances).value();
  EXPECT_EQ(to_string(loop_bounds(loops, {1, 1, 1, 0}, extents({"D", "SL", "TL", "N"}),
                                  {"m", "n", "p", "q"})),
            "3 <= m < D + SL + TL - 2; max(1, m - SL - TL + 2) <= n < min(m - 1, D); "
            "max(1, m - TL - n + 1) <= p < min(m - n, SL); 0 <= q < N");
}

TEST(LoopBounds, FactorsDivide) {
  Transformation loops = wavefront({false, false}, {{1, -1}, {0, 1}}).value();
  EXPECT_EQ(to_string(loop_bounds(loops, {0, 0}, extents({"T", "N"}), {"m", "t"})),
            "0 <= m < N + 2*T - 2; max(0, floordiv(N + m, 2) - N + 1) <= t < "
            "min(floordiv(m, 2) + 1, T)");
}

TEST(LoopBounds, OtherRanksAreRefused) {
  Transformation loops = wavefront({false}, {}).value();
  EXPECT_EQ(slug_of([&] { loop_bounds(loops, {0}, {1, 2}, {"x"}); }), "space-rank");
}

/// The points that loops visit, in their order.
std::vector<Point> visited(const std::vector<LoopBounds>& loops,
                           std::map<std::string, int64_t> sizes) {
  std::vector<Point> points;
  Point at;
  std::function<void()> walk = [&] {
    if (at.size() == loops.size()) {
      points.push_back(at);
      return;
    }
    const LoopBounds& loop = loops[at.size()];
    int64_t lower = INT64_MIN, upper = INT64_MAX;
    for (const Extent& bound : loop.lower)
      lower = std::max(lower, bound.evaluate(sizes));
    for (const Extent& bound : loop.upper)
      upper = std::min(upper, bound.evaluate(sizes));
    for (int64_t value = lower; value < upper; ++value) {
      sizes[loop.name] = value;
      at.push_back(value);
      walk();
      at.pop_back();
    }
  };
  walk();
  return points;
}

/// A random nest, with extents 0 to 4, and its wavefront.
struct RandomNest {
  Distances distances;
  Shape start, end;
  std::map<std::string, int64_t> sizes;
  std::vector<std::string> names;
  int64_t points = 1;
  Transformation loops;
};

RandomNest random_nest(std::mt19937& random) {
  RandomNest nest;
  int rank = static_cast<int>(random_between(random, 1, 4));
  for (int64_t number = random_between(random, 0, 3); number-- > 0;) {
    Point distance(rank, 0);
    int first = static_cast<int>(random() % rank);
    distance[first] = 1;
    for (int dim = first + 1; dim < rank; ++dim)
      distance[dim] = random_between(random, -1, 1);
    nest.distances.push_back(distance);
  }
  for (int dim = 0; dim < rank; ++dim) {
    std::string extent = "E" + std::to_string(dim);
    int64_t size = random_between(random, 0, 4), start = random_between(random, 0, 1);
    nest.sizes[extent] = size;
    nest.start.push_back(start);
    nest.end.push_back(Extent::symbol(extent));
    nest.names.push_back("y" + std::to_string(dim));
    nest.points *= std::max<int64_t>(0, size - start);
  }
  nest.loops = wavefront(std::vector<bool>(rank, false), nest.distances).value();
  return nest;
}

TEST(LoopBounds, RandomOnesVisitEachPointOnceInALegalOrder) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    RandomNest nest = random_nest(random);
    std::vector<LoopBounds> bounds = loop_bounds(nest.loops, nest.start, nest.end, nest.names);
    std::map<Point, int64_t> step;
    for (const Point& y : visited(bounds, nest.sizes)) {
      Point x = image(nest.loops.inverse, y);
      for (size_t dim = 0; dim < x.size(); ++dim) {
        ASSERT_GE(x[dim], nest.start[dim].constant().value()) << to_string(bounds);
        ASSERT_LT(x[dim], nest.end[dim].evaluate(nest.sizes)) << to_string(bounds);
      }
      ASSERT_TRUE(step.try_emplace(x, y[0]).second) << to_string(bounds);
    }
    ASSERT_EQ(static_cast<int64_t>(step.size()), nest.points) << to_string(bounds);
    for (const auto& [x, at] : step)
      for (const Point& distance : nest.distances) {
        Point before = x;
        for (size_t dim = 0; dim < x.size(); ++dim)
          before[dim] -= distance[dim];
        if (auto found = step.find(before); found != step.end())
          ASSERT_LT(found->second, at) << to_string(nest.loops.matrix);
      }
  }
}

} // namespace
} // namespace kolam::space
