// Accumulating by projections, beside a loop over all points.
#include "kolam/space/adjoint.h"

#include <gtest/gtest.h>

#include <set>

#include "random_space.h"

namespace kolam::space {
namespace {

/// Calls f(point) for all points of a box from 0, row-major.
template <class F> void for_each_point(const Point& extents, F f) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  for (int64_t number = 0; number < count; ++number) {
    Point point(extents.size());
    int64_t rest = number;
    for (size_t dim = extents.size(); dim-- > 0;) {
      point[dim] = rest % extents[dim];
      rest /= extents[dim];
    }
    f(point);
  }
}

/// How often each point of the index space is added to each element.
using Added = std::map<std::pair<Point, Point>, int>;

Added by_points(const AffineMap& map, const Point& extents) {
  Added added;
  for_each_point(extents, [&](const Point& point) { ++added[{point, image(map, point)}]; });
  return added;
}

/// The same by an adjoint; every term gives an element once.
Added by_terms(const Adjoint& adjoint, const Point& extents) {
  Added added;
  Point summed(extents.size(), 1);
  for (int dim : adjoint.summed)
    summed[dim] = extents[dim];
  for (const AdjointTerm& term : adjoint.terms) {
    Point counts;
    for (const ViewDim& range : term.ranges)
      counts.push_back(range.count);
    std::set<Point> seen;
    for_each_point(counts, [&](const Point& t) {
      const Point element = image(term.map, t);
      EXPECT_TRUE(seen.insert(element).second) << to_string(adjoint);
      for_each_point(summed, [&](const Point& other) {
        Point point = other;
        for (size_t dim = 0; dim < t.size(); ++dim)
          if (summed[dim] == 1)
            point[dim] = term.start[dim] + term.ranges[dim].step * t[dim];
        ++added[{point, element}];
      });
    });
    for (size_t dim = 0; dim < term.ranges.size(); ++dim) {
      int rows = 0;
      for (const AffineRow& row : term.map.rows) {
        EXPECT_TRUE(is_affine(row));
        rows += row.coefficients[dim] != 0;
      }
      EXPECT_LE(rows, 1) << to_string(adjoint);
    }
  }
  return added;
}

TEST(Adjoint, random_maps) {
  std::mt19937 random(7);
  int found = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto rank = static_cast<int>(random_between(random, 0, 3));
    const auto projection = random_projection(
        random, rank, static_cast<int>(random_between(random, 0, 3)), round % 2 == 0);
    Point extents;
    for (int dim = 0; dim < rank; ++dim)
      extents.push_back(random_between(random, 0, 5));
    auto adjoint = adjoint_of(projection.map, extents, 200);
    if (!adjoint)
      continue;
    ++found;
    EXPECT_EQ(by_terms(*adjoint, extents), by_points(projection.map, extents))
        << "round " << round << ": " << to_string(projection.map) << " is " << to_string(*adjoint);
  }
  EXPECT_GT(found, 2900);
}

TEST(Adjoint, random_regions) {
  std::mt19937 random(8);
  for (int round = 0; round < 500; ++round) {
    const auto projection = random_projection(random, 2, 2, false, 1);
    const Point extents{random_between(random, 1, 4), random_between(random, 1, 4)};
    auto adjoint = adjoint_of(projection, extents, 400);
    ASSERT_TRUE(adjoint);
    std::map<Point, int> found;
    for (const auto& [where, count] :
         by_terms(*adjoint, {extents[0], extents[1], *projection.size[0].constant(),
                             *projection.size[1].constant()}))
      found[where.second] += count;
    EXPECT_EQ(found, owners(projection, Box({0, 0}, extents))) << to_string(projection);
  }
}

/// Which element each point of the index space is added to, in the order of the points; by terms in
/// theirs.
using Order = std::map<Point, std::vector<Point>>;

TEST(Adjoint, policies_add_in_the_order_of_the_points) {
  std::mt19937 random(9);
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto rank = static_cast<int>(random_between(random, 1, 2));
    AffineMap map{rank, {}};
    Point tensor, extents;
    for (int dim = 0; dim < rank; ++dim) {
      AffineRow row;
      row.coefficients.assign(static_cast<size_t>(rank), 0);
      row.coefficients[static_cast<size_t>(dim)] = random_between(random, -2, 2);
      row.offset = random_between(random, -4, 4);
      map.rows.push_back(row);
      tensor.push_back(random_between(random, 1, 4));
      extents.push_back(random_between(random, 1, 9));
    }
    using Kind = Policy::Kind;
    const Kind kinds[] = {Kind::pad, Kind::clamp, Kind::wrap, Kind::reflect};
    const Policy policy{kinds[round % 4]};
    const auto adjoint = adjoint_of(map, policy, tensor, extents, 100);
    if (!adjoint || !adjoint->summed.empty())
      continue;
    ++found;
    Order expected, own;
    for_each_point(extents, [&](const Point& point) {
      Point element = image(map, point);
      for (size_t dim = 0; dim < element.size(); ++dim) {
        const Landing landing = land(policy, element[dim], tensor[dim]);
        if (landing.kind != Landing::Kind::cell)
          return;
        element[dim] = landing.index;
      }
      expected[element].push_back(point);
    });
    for (const AdjointTerm& term : adjoint->terms) {
      Point counts;
      for (const ViewDim& range : term.ranges)
        counts.push_back(range.count);
      for_each_point(counts, [&](const Point& t) {
        Point point;
        for (size_t dim = 0; dim < t.size(); ++dim)
          point.push_back(term.start[dim] + term.ranges[dim].step * t[dim]);
        own[image(term.map, t)].push_back(point);
      });
    }
    EXPECT_EQ(own, expected) << "round " << round << ": " << to_string(map) << " "
                             << to_string(policy) << " is " << to_string(*adjoint);
  }
  EXPECT_GT(found, 1000);
}

TEST(Adjoint, what_lies_outside_is_a_term_for_each_turn) {
  const AffineMap map = affine_map(1, {{1}}, {-2});
  EXPECT_EQ(to_string(*adjoint_of(map, {Policy::Kind::reflect}, {4}, {7}, 9)),
            "[0 1 2] -> [-1 | 2]; [2 1 4] -> [1 | 0]; [6 1 1] -> [0 | 2]");
  EXPECT_EQ(to_string(*adjoint_of(map, Policy::pad(int64_t{0}), {4}, {7}, 9)),
            "[2 1 4] -> [1 | 0]");
  EXPECT_FALSE(adjoint_of(map, {Policy::Kind::clamp}, {4}, {7}, 3));
}

TEST(Adjoint, a_view_is_one_term) {
  EXPECT_EQ(to_string(*adjoint_of(affine_map(2, {{0, -1}, {2, 0}}, {4, 1}), {3, 5}, 1)),
            "[0 1 3; 0 1 5] -> [0 -1 | 4; 2 0 | 1]");
}

TEST(Adjoint, what_a_view_does_not_use_is_summed) {
  EXPECT_EQ(to_string(*adjoint_of(affine_map(2, {{1, 0}}, {0}), {3, 5}, 1)),
            "sum 1; [0 1 3; 0 1 1] -> [1 0 | 0]");
}

TEST(Adjoint, windows_are_a_term_for_each_offset) {
  EXPECT_EQ(to_string(*adjoint_of(affine_map(2, {{1, 1}}, {0}), {9, 2}, 9)),
            "[0 1 9; 0 1 1] -> [1 0 | 0]; [0 1 9; 1 1 1] -> [1 0 | 1]");
}

TEST(Adjoint, windows_that_tile_are_one_term) {
  EXPECT_EQ(to_string(*adjoint_of(affine_map(2, {{3, 1}}, {0}), {4, 3}, 1)),
            "[0 1 4; 0 1 3] -> [3 1 | 0]");
}

TEST(Adjoint, circular_windows_are_two_intervals) {
  AffineMap map = affine_map(1, {{1}}, {3});
  map.rows[0].modulus = 5;
  EXPECT_EQ(to_string(*adjoint_of(map, {5}, 2)), "[0 1 2] -> [1 | 3]; [2 1 3] -> [1 | 0]");
}

TEST(Adjoint, repeated_elements_are_a_term_for_each_residue) {
  AffineMap map = affine_map(1, {{1}}, {0});
  map.rows[0].divisor = 2;
  EXPECT_EQ(to_string(*adjoint_of(map, {5}, 2)), "[0 2 3] -> [1 | 0]; [1 2 2] -> [1 | 0]");
}

TEST(Adjoint, a_long_diagonal_is_a_scatter) {
  EXPECT_FALSE(adjoint_of(affine_map(1, {{1}, {1}}, {0, 0}), {100}, 16));
}

} // namespace
} // namespace kolam::space
